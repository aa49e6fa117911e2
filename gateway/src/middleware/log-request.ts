import type { Log } from "@shipping/kit/log";
import type { Locals, Step } from "../locals.js";

/** One wide line per request, written when its answer has gone or its client has. */
export function logRequest(log: Log): Step {
  return (req, res, next) => {
    res.once("close", () => {
      // A request may have ended at any step.
      const { requestId, startedAt = 0, admission, replayed, errorCode }: Partial<Locals> = res.locals;
      log.info(
        {
          method: req.method,
          // Never the address itself: what a client puts there by mistake may be secret.
          route: req.route?.path,
          status: res.headersSent ? res.statusCode : undefined,
          ms: Math.round((performance.now() - startedAt) * 100) / 100,
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
