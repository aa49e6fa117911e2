import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Locals, Step } from "../locals.js";

/** One wide line per request, written when its answer has gone or its client has, and its count among those of its route. */
export function logRequest(log: Log, metrics: Metrics): Step {
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
      // A request may have ended at any step.
      const locals: Partial<Locals> = res.locals;
      const { requestId, startedAt = 0, pacedMs = 0, admission, replayed, errorCode } = locals;
      const ms = performance.now() - startedAt;
      // Never the address itself: what a client puts there by mistake may be secret.
      const route: string | undefined = req.route?.path;
      count({
        name: route ? `${req.method} ${route}` : "unknown",
        result: res.headersSent ? statusOf(res.statusCode, locals) : "aborted",
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

// Two kinds of 503 are no outage: the specification requires one in an environment without a carrier, and an account that is at its own
// limit delays only itself.
function statusOf(
  status: number,
  { errorCode, outageCause }: Pick<Partial<Locals>, "errorCode" | "outageCause">,
): string {
  if (errorCode === "carrier_not_configured") return errorCode;
  return outageCause === "account_queue" ? outageCause : String(status);
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
