import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { Failure, fail, failureIn, toConnectError } from "../errors.js";
import { isRefusal } from "../postgres/database.js";
import { DatabaseOutage } from "../postgres/outage.js";
import type { Log } from "../process/log.js";
import { traced } from "../process/tracing.js";
import { peerKey } from "../tls/peers.js";

/** One wide line per call: method, calling part, request id, caller, result, milliseconds. */
export function logCalls(log: Log): Interceptor {
  return (next) => async (request) => {
    const start = performance.now();
    const line = (code: string, err?: unknown) => {
      const caller = (request.message as { caller?: { accountId: string; environment: string } }).caller;
      const fields = {
        rpc: `${request.service.typeName}/${request.method.name}`,
        peer: request.contextValues.get(peerKey),
        request_id: request.header.get("x-request-id") ?? undefined,
        account: caller?.accountId,
        environment: caller?.environment,
        code,
        ms: Math.round((performance.now() - start) * 100) / 100,
      };
      if (err === undefined) log.info(fields, "rpc");
      else log.error({ ...fields, err }, "rpc");
    };
    try {
      const response = await next(request);
      line("ok");
      return response;
    } catch (error) {
      const failure = failureIn(error);
      const unexpected = !failure || failure.status >= 500;
      line(failure?.code ?? Code[ConnectError.from(error).code], unexpected ? causeOf(error) : undefined);
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

/** Makes every error certain or uncertain: a refusal carries a typed detail, an unknown outcome carries none. */
export const answerErrors: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    throw connectErrorOf(error);
  }
};

// A refusal and some outages certainly changed nothing. After any other error, the statement may have committed.
function connectErrorOf(error: unknown): ConnectError {
  if (error instanceof Failure) return toConnectError(error);
  if (error instanceof ConnectError) return error;
  if (isRefusal(error)) return toConnectError(fail("internal_error"), error);
  if (error instanceof DatabaseOutage && !error.mayHaveRun) return toConnectError(fail("service_unavailable"), error);
  return new ConnectError("The outcome is unknown.", Code.Unknown, undefined, undefined, error);
}

function causeOf(error: unknown): unknown {
  return error instanceof ConnectError && error.cause ? error.cause : error;
}
