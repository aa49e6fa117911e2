import type { RequestHandler } from "express";
import { newId, type Random } from "../ids.js";
import type { Log } from "../process/log.js";
import type { Metrics } from "../process/metrics.js";
import { traced, traceFields } from "../process/tracing.js";
import { httpFault } from "./http-rules.js";
import { ANSWER_MS, type RequestLocals } from "./request-locals.js";

type Middleware<Locals extends RequestLocals = RequestLocals> = RequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  unknown,
  Locals
>;

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
    res.locals.trace = traceFields();
    const closed = new Promise<void>((resolve) => res.once("close", resolve));
    next();
    await closed;
    span.rename(`${req.method} ${req.route?.path ?? "unknown"}`);
    span.set({ "http.response.status_code": res.statusCode, request_id: res.locals.requestId });
  });
};

/** Counts an answered request under its route. */
export type CountRequest = ReturnType<typeof measureRequests>;

export function measureRequests(metrics: Metrics) {
  return metrics.work(
    { total: "http_requests_total", seconds: "http_request_duration_seconds", by: "route", result: "status" },
    {
      total:
        "Completed requests by route and status: aborted if the client disconnected first. A 503 that is no outage has its cause instead.",
      seconds:
        "Request duration, from the headers to the end of the response, without the time for which it was paced.",
    },
  );
}

/** An application's description of a request: the result to count instead of its status, and more fields of its log line. */
export interface Description {
  result?: string | undefined;
  fields: Record<string, unknown>;
}

/** Writes one log line per request, and counts the request under its route, once the response is sent or the client has disconnected. */
export function logRequest<Locals extends RequestLocals>(
  log: Log,
  count: CountRequest,
  describe: (locals: Partial<Locals>) => Description,
): Middleware<Locals> {
  return (req, res, next) => {
    res.once("close", () => {
      // Partial, because any middleware may have ended the request.
      const locals: Partial<Locals> = res.locals;
      const { requestId, startedAt = 0, pacedMs = 0, errorCode, outageCause, trace } = locals;
      const ms = performance.now() - startedAt;
      // The path itself is not logged, because it may contain secrets by mistake.
      const route: string | undefined = req.route?.path;
      const status = res.headersSent ? res.statusCode : undefined;
      const { result = status, fields } = describe(locals);
      count({
        name: route ? `${req.method} ${route}` : "unknown",
        result: status === undefined ? "aborted" : String(result),
        ms: ms - pacedMs,
      });
      log.info(
        {
          method: req.method,
          route,
          status,
          ms: rounded(ms),
          paced_ms: rounded(pacedMs) || undefined,
          request_id: requestId,
          ...trace,
          ...fields,
          code: errorCode,
          cause: outageCause,
          aborted: res.writableFinished ? undefined : true,
        },
        "request",
      );
    });
    next();
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
