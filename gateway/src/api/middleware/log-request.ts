import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { ErrorCode } from "@shipping/proto/errors";
import type { Locals, Step } from "../locals.js";

/** One wide line per request, written when its answer has gone or its client has, and its count among those of its route. */
export function logRequest(log: Log, metrics: Metrics): Step {
  const count = metrics.work(
    { total: "http_requests_total", seconds: "http_request_duration_seconds", by: "route", result: "status" },
    {
      total:
        "Completed requests by route and status: aborted if the client disconnected first, carrier_not_configured for that kind of 503.",
      seconds:
        "Request duration, from the headers to the end of the response, without the time for which it was paced.",
    },
  );
  return (req, res, next) => {
    res.once("close", () => {
      // A request may have ended at any step.
      const locals: Partial<Locals> = res.locals;
      const { requestId, startedAt = 0, pacedMs = 0, admission, replayed, errorCode } = locals;
      const ms = performance.now() - startedAt;
      // Never the address itself: what a client puts there by mistake may be secret.
      const route: string | undefined = req.route?.path;
      count({
        name: route ? `${req.method} ${route}` : "unknown",
        result: res.headersSent ? statusOf(res.statusCode, errorCode) : "aborted",
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
          account: admission?.caller.accountId,
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

// The specification requires this 503 in an environment without a carrier, so it is no sign of an outage.
function statusOf(status: number, code: ErrorCode | undefined): string {
  return code === "carrier_not_configured" ? code : String(status);
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
