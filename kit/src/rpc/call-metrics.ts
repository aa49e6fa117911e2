import { isMessage, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { type WriteOutcome, WriteOutcomeSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import { failureIn } from "../errors.js";
import type { Metrics } from "../process/metrics.js";

const LEDGER_OUTCOMES = ["executed", "replayed", "conflict", "stale"] as const;

/** Counts calls by method and result, with their duration, and the ledger's outcomes of writes. */
export function measureCalls(metrics: Metrics): Interceptor {
  const countCall = metrics.work(
    { total: "rpc_requests_total", seconds: "rpc_request_duration_seconds", by: "rpc", result: "code" },
    {
      total: "Answered calls by method and result: ok, an API error code or a Connect code.",
      seconds: "Call duration.",
    },
  );
  const countOutcome = metrics.counterBy("ledger_outcomes_total", "Writes by the outcome for their idempotency key.", {
    by: "outcome",
    values: LEDGER_OUTCOMES,
  });

  return (next) => async (request) => {
    // A stream lasts as long as its client likes.
    if (request.stream) return next(request);
    const start = performance.now();
    const name = `${request.service.name}/${request.method.name}`;
    const end = (result: string) => countCall({ name, result, ms: performance.now() - start });
    try {
      const response = await next(request);
      end("ok");
      const outcome = response.stream ? undefined : outcomeIn(response.message);
      if (outcome) countOutcome(outcome);
      return response;
    } catch (error) {
      end(failureIn(error)?.code ?? Code[ConnectError.from(error).code]);
      throw error;
    }
  };
}

/** Counts refusals of a server with mutual TLS: of clients without a valid certificate, and of parts that may not call a method. */
export function measureRefusals(metrics: Metrics): (why: "certificate" | "method") => void {
  return metrics.counterBy(
    "rpc_refused_total",
    "Connections refused for an invalid certificate, and calls refused because the calling part may not make them.",
    { by: "reason", values: ["certificate", "method"] },
  );
}

function outcomeIn(answer: Message & { outcome?: unknown }): (typeof LEDGER_OUTCOMES)[number] | undefined {
  if (!isMessage(answer.outcome, WriteOutcomeSchema)) return undefined;
  const { outcome }: WriteOutcome = answer.outcome;
  if (outcome.case === "snapshot") return outcome.value.replayed ? "replayed" : "executed";
  return outcome.case;
}
