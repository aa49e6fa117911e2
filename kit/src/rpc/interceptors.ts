import { isMessage, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { type WriteOutcome, WriteOutcomeSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import { Failure, fail, failureIn, toConnectError } from "../errors.js";
import { DatabaseOutage, isRefusal } from "../postgres/outage.js";
import type { Log } from "../process/log.js";
import type { Metrics } from "../process/metrics.js";
import { traced } from "../process/tracing.js";
import { peerKey } from "../tls/secure-server.js";

/**
 * Logs one wide line per call: method, calling part, request ID, act of an operator, caller, result, milliseconds. Counts calls by method and result, with their duration,
 * and the ledger's outcomes of writes. A stream is not counted, because it lasts as long as its client likes.
 */
export function observeCalls(log: Log, metrics?: Metrics): Interceptor {
  const count = metrics && countCalls(metrics);
  return (next) => async (request) => {
    const start = performance.now();
    function end(code: string, { answer, err }: { answer?: Message; err?: unknown }): void {
      const ms = performance.now() - start;
      const { caller } = request.message as { caller?: { accountId: string; environment: string } };
      const fields = {
        rpc: `${request.service.typeName}/${request.method.name}`,
        peer: request.contextValues.get(peerKey),
        request_id: request.header.get("x-request-id") ?? undefined,
        act: request.header.get("x-act-id") ?? undefined,
        account: caller?.accountId,
        environment: caller?.environment,
        code,
        ms: Math.round(ms * 100) / 100,
      };
      if (err === undefined) log.info(fields, "rpc");
      else log.error({ ...fields, err }, "rpc");
      if (!request.stream)
        count?.({ name: `${request.service.name}/${request.method.name}`, result: code, ms }, answer);
    }
    try {
      const response = await next(request);
      end("ok", response.stream ? {} : { answer: response.message });
      return response;
    } catch (error) {
      const failure = failureIn(error);
      const isUnexpected = !failure || failure.status >= 500;
      end(failure?.code ?? Code[ConnectError.from(error).code], isUnexpected ? { err: readCause(error) } : {});
      throw error;
    }
  };
}

/** Continues the caller's trace. */
export const traceCalls: Interceptor = (next) => (request) => {
  if (request.stream) return next(request);
  const parent = request.header.get("traceparent") ?? undefined;
  const attributes = { "rpc.system.name": "connectrpc", request_id: request.header.get("x-request-id") ?? undefined };
  const name = `${request.service.name}/${request.method.name}`;
  return traced(name, { kind: "server", parent, attributes }, () => next(request));
};

/** Makes every error certain or uncertain: a refusal carries a typed detail, and an unknown outcome does not. */
export const answerErrors: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    throw classifyError(error);
  }
};

// A refusal and some outages certainly had no effect. After any other error, the statement may have committed.
function classifyError(error: unknown): ConnectError {
  if (error instanceof Failure) return toConnectError(error);
  if (error instanceof ConnectError) return error;
  if (isRefusal(error)) return toConnectError(fail("internal_error"), error);
  if (error instanceof DatabaseOutage && !error.mayHaveRun) return toConnectError(fail("service_unavailable"), error);
  return new ConnectError("The outcome is unknown.", Code.Unknown, undefined, undefined, error);
}

function readCause(error: unknown): unknown {
  return error instanceof ConnectError && error.cause ? error.cause : error;
}

const LEDGER_OUTCOMES = ["executed", "replayed", "conflict", "stale"] as const;

function countCalls(metrics: Metrics) {
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
  return (ended: Parameters<typeof countCall>[0], answer?: Message) => {
    countCall(ended);
    const outcome = answer && outcomeIn(answer);
    if (outcome) countOutcome(outcome);
  };
}

/** Counts the refusals of a server with mutual TLS: clients without a valid certificate, and parts that may not call a method. */
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
