import { BASE_PATH } from "@shipping/api/operations/operation";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { httpFault } from "@shipping/kit/http/http-rules";
import { newId, type Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import { traced } from "@shipping/kit/process/tracing";
import type { ApiDeps } from "../deps.js";
import { ANSWER_MS, accountOf, type Locals, type Middleware } from "../locals.js";

/** Gives every request a new ID, regardless of any ID that the client sends, and refuses invalid HTTP. */
export function identifyRequest(random: Random): Middleware {
  return (req, res, next) => {
    res.locals.requestId = newId("req", random);
    res.locals.startedAt = performance.now();
    res.locals.deadline = performance.now() + ANSWER_MS;
    res.setHeader("X-Request-Id", res.locals.requestId);
    res.setHeader("X-Content-Type-Options", "nosniff");
    const fault = httpFault(req);
    if (!fault) return next();
    // It is unclear where the next request on this connection would begin.
    res.setHeader("Connection", "close");
    throw fault;
  };
}

/** Starts the trace of a request. A client's trace context is ignored: otherwise clients could decide what is sampled. */
export const traceRequest: Middleware = (req, res, next) => {
  void traced("request", { kind: "server" }, async (span) => {
    const closed = new Promise<void>((resolve) => res.once("close", resolve));
    next();
    await closed;
    span.rename(`${req.method} ${req.route?.path ?? "unknown"}`);
    span.set({ "http.response.status_code": res.statusCode, request_id: res.locals.requestId });
  });
};

/** Writes one log line per request, and counts the request under its route, once the response is sent or the client has disconnected. */
export function logRequest(log: Log, metrics: Metrics): Middleware {
  const count = metrics.work(
    { total: "http_requests_total", seconds: "http_request_duration_seconds", by: "route", result: "status" },
    {
      total:
        "Completed requests by route and status: aborted if the client disconnected first, carrier_not_configured and account_queue for those kinds of 503.",
      seconds:
        "Request duration, from the headers to the end of the response, without the time for which it was paced.",
    },
  );
  return (req, res, next) => {
    res.once("close", () => {
      // Partial, because any middleware may have ended the request.
      const locals: Partial<Locals> = res.locals;
      const { requestId, startedAt = 0, pacedMs = 0, admission, session, replayed, errorCode } = locals;
      const ms = performance.now() - startedAt;
      // The path itself is not logged, because it may contain secrets by mistake.
      const route: string | undefined = req.route?.path;
      count({
        name: route ? `${req.method} ${route}` : "unknown",
        result: res.headersSent ? toResult(res.statusCode, locals) : "aborted",
        ms: ms - pacedMs,
      });
      log.info(
        {
          method: req.method,
          route,
          status: res.headersSent ? res.statusCode : undefined,
          ms: rounded(ms),
          paced_ms: rounded(pacedMs) || undefined,
          request_id: requestId,
          account: accountOf(locals),
          member: session?.memberId,
          environment: admission?.caller.environment,
          key: admission?.keyId,
          code: errorCode,
          cause: locals.outageCause,
          replayed,
          aborted: res.writableFinished ? undefined : true,
        },
        "request",
      );
    });
    next();
  };
}

// Two kinds of 503 do not count as outages: the specification requires one where no carrier is configured, and an account at its own limit
// delays only itself.
function toResult(status: number, { errorCode, outageCause }: Partial<Locals>): string {
  if (errorCode === "carrier_not_configured") return errorCode;
  return outageCause === "account_queue" ? outageCause : String(status);
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** The ID of a resource, or a tracking number, in a path. */
const ID = /^\/api\/v1\/\w+\/((?:ord|shp|lbl|whk)_[a-z2-7]{26}|TEST[0-9A-Z]{1,60})(?:\/|$)/;

/**
 * Adds each API request to the account's request log, once the response is sent or the client has disconnected. A request to `messagePath` is added
 * only if it is refused: an accepted message sends API requests, which are added themselves.
 */
export function storeRequest(
  deps: Pick<ApiDeps, "requestLog" | "trustedProxies">,
  messagePath: string | undefined,
): Middleware {
  const { requestLog, trustedProxies } = deps;
  return (req, res, next) => {
    const [path = ""] = req.originalUrl.split("?", 1);
    const isMessage = path === messagePath;
    if (!isMessage && !path.startsWith(BASE_PATH)) return next();
    // A closed socket no longer has its IP address.
    const { remoteAddress } = req.socket;
    res.once("close", () => {
      const locals: Partial<Locals> = res.locals;
      const { admission, errorCode, idempotencyKey, replayed = false, startedAt = 0, requestId = "" } = locals;
      const aborted = !res.writableFinished;
      // This is a document, a request that was aborted before authentication, or an accepted message.
      if (!errorCode && (!admission || isMessage)) return;
      if (admission && !errorCode && !aborted && req.method === "GET") return requestLog.countRead(admission.caller);
      requestLog.log({
        requestId,
        caller: admission?.caller,
        keyId: admission?.keyId,
        method: req.method,
        path,
        status: res.headersSent ? res.statusCode : undefined,
        code: errorCode,
        cause: locals.outageCause,
        fields: locals.faults,
        aborted,
        ms: performance.now() - startedAt,
        idempotencyKey,
        replayed,
        resourceId: ID.exec(path)?.[1] ?? locals.resourceId,
        source: getClientAddress({ headersDistinct: req.headersDistinct, socket: { remoteAddress } }, trustedProxies),
        userAgent: req.headers["user-agent"] ?? "",
      });
    });
    next();
  };
}
