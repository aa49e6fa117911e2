import { BASE_PATH } from "@shipping/api/operations/operation";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { isRead } from "@shipping/kit/http/refuse-request";
import type { ApiDeps } from "../deps.js";
import type { Locals, Middleware } from "../locals.js";

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
      if (admission && !errorCode && !aborted && isRead(req)) return requestLog.countRead(admission.caller);
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
