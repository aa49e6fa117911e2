import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import pg from "pg";
import { Failure, fail, failureIn, toConnectError } from "../errors.js";
import { isRefusal } from "../postgres/database.js";
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

/** Gives every error its certain or uncertain form: a refusal carries a typed detail, an unknown outcome carries none. */
export const answerErrors: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    throw connectErrorOf(error);
  }
};

/**
 * SQLSTATEs after which the statement is rolled back for certain: data and integrity errors (22, 23), cancelled by time-out, and
 * deadlock. After any other (57P01 and a lost connection above all) it may have committed.
 */
function connectErrorOf(error: unknown): ConnectError {
  if (error instanceof Failure) return toConnectError(error);
  if (error instanceof ConnectError) return error;
  const state = error instanceof pg.DatabaseError ? error.code : undefined;
  if (state === "57014" || state === "40P01") return toConnectError(fail("service_unavailable"), error);
  if (isRefusal(error)) return toConnectError(fail("internal_error"), error);
  if (error instanceof Error && error.message.startsWith(POOL_TIMEOUT)) {
    return toConnectError(fail("service_unavailable"), error);
  }
  return new ConnectError("The outcome is unknown.", Code.Unknown, undefined, undefined, error);
}

// pg-pool 3.x says so in these words only; nothing was sent then.
const POOL_TIMEOUT = "timeout exceeded when trying to connect";

function causeOf(error: unknown): unknown {
  return error instanceof ConnectError && error.cause ? error.cause : error;
}
