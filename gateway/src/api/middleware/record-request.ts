import { sourceOf } from "../../http/source.js";
import type { ApiDeps } from "../deps.js";
import { BASE_PATH } from "../endpoint.js";
import type { Locals, Step } from "../locals.js";

/** The id of a resource, or a tracking number, in a path. */
const ID = /^\/api\/v1\/\w+\/((?:ord|shp|lbl|whk)_[a-z2-7]{26}|TEST[0-9A-Z]{1,60})(?:\/|$)/;

/** Tells the request log of each request to the API, when its answer has gone or its client has. */
export function recordRequest({ requestLog, trustedProxies }: Pick<ApiDeps, "requestLog" | "trustedProxies">): Step {
  return (req, res, next) => {
    if (!req.originalUrl.startsWith(BASE_PATH)) return next();
    // A connection that has ended does not know its address any more.
    const { remoteAddress } = req.socket;
    res.once("close", () => {
      const locals: Partial<Locals> = res.locals;
      const { admission, errorCode, idempotencyKey, replayed = false, startedAt = 0, requestId = "" } = locals;
      const aborted = !res.writableFinished;
      // Nobody's: a document, or a request given up before its key was admitted.
      if (!admission && !errorCode) return;
      if (admission && !errorCode && !aborted && req.method === "GET") return requestLog.countRead(admission.caller);
      const [path = ""] = req.originalUrl.split("?", 1);
      requestLog.record({
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
        resourceId: locals.resourceId ?? ID.exec(path)?.[1],
        source: sourceOf({ headersDistinct: req.headersDistinct, socket: { remoteAddress } }, trustedProxies),
        userAgent: req.headers["user-agent"] ?? "",
      });
    });
    next();
  };
}
