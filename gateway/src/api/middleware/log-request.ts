import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Locals, Step } from "../locals.js";

/** One wide line per request, written when its answer has gone or its client has, and its count among those of its route. */
export function logRequest(log: Log, metrics: Metrics): Step {
  const count = metrics.work(
    { total: "http_requests_total", seconds: "http_request_duration_seconds", by: "route", result: "status" },
    {
      total: "Completed requests by route and status. The status aborted means that the client disconnected first.",
      seconds: "Request duration, from the headers to the end of the response.",
    },
  );
  return (req, res, next) => {
    res.once("close", () => {
      // A request may have ended at any step.
      const { requestId, startedAt = 0, admission, replayed, errorCode }: Partial<Locals> = res.locals;
      const ms = performance.now() - startedAt;
      // Never the address itself: what a client puts there by mistake may be secret.
      const route: string | undefined = req.route?.path;
      count({
        name: route ? `${req.method} ${route}` : "unknown",
        result: res.headersSent ? String(res.statusCode) : "aborted",
        ms,
      });
      log.info(
        {
          method: req.method,
          route,
          status: res.headersSent ? res.statusCode : undefined,
          ms: Math.round(ms * 100) / 100,
          request_id: requestId,
          account: admission?.caller.accountId,
          environment: admission?.caller.environment,
          key: admission?.keyId,
          code: errorCode,
          replayed,
          aborted: res.writableFinished ? undefined : true,
        },
        "request",
      );
    });
    next();
  };
}
