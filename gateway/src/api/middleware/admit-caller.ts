import type { IncomingMessage } from "node:http";
import { parseApiKey, type Scope } from "@shipping/api/api-key";
import { noKey } from "@shipping/api/examples";
import { explainNoKey } from "@shipping/api/explain-no-key";
import { fail, failFields } from "@shipping/kit/errors";
import { isRead } from "@shipping/kit/http/refuse-request";
import { createAdmit, isKeyValid } from "../../admission/admit.js";
import type { ApiDeps } from "../deps.js";
import type { Middleware } from "../locals.js";

const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/**
 * Authenticates a request and counts it against the rate limit. One database round trip reads the API key, its rate window and the registry's
 * row of the idempotency key. The body has not been read yet.
 */
export function admitCaller(deps: ApiDeps): Middleware {
  const policy = `"default";q=${deps.requestsPerMinute};w=60`;
  const admit = createAdmit(deps);
  return async (req, res, next) => {
    // If there are two headers, Node silently drops the second from `req.headers`.
    const authorization = req.headersDistinct.authorization ?? [];
    const key = authorization.length === 1 ? parseApiKey(authorization[0]) : undefined;
    if (!key || key.cell) throw fail("unauthorized", explainNoKey(req));
    const idempotencyKey = isRead(req) ? undefined : readIdempotencyKey(req);
    const admission = await admit({ keyHash: key.hash, idempotencyKey });
    if (!admission) throw fail("unauthorized");
    res.locals.admission = admission;
    res.locals.idempotencyKey = idempotencyKey;
    res.setHeader("RateLimit-Policy", policy);
    res.setHeader("RateLimit", `"default";r=${admission.remaining};t=${admission.resetSeconds}`);
    if (!admission.within) throw fail("rate_limited");
    next();
  };
}

/** The value of the header if it is valid. `req.headers` would join two headers with a comma. */
function readIdempotencyKey(req: IncomingMessage): string | undefined {
  const sent = req.headersDistinct["idempotency-key"];
  const [key = ""] = sent ?? [];
  return sent?.length === 1 && PRINTABLE.test(key) ? key : undefined;
}

export function requireScope(scope: Scope): Middleware {
  return (_req, res, next) => {
    if (!res.locals.admission.scopes.includes(scope))
      throw fail("missing_scope", `The API key does not have the scope ${scope}. Use a key that has it.`);
    next();
  };
}

function whatBreaks([key = "", ...others]: readonly string[]): string {
  if (others.length > 0) return `it was sent ${others.length + 1} times`;
  return /[^ -~]/.test(key) ? "it has other characters" : `it has ${key.length} characters`;
}

/** The names of the header at other APIs. */
const OTHER_NAME = /^(?:[a-z]{1,20}-)?(?:idempotency-(?:key|token|id)|idempotent-key|idempotency|request-key)$/;

export const requireIdempotencyKey: Middleware = (req, res, next) => {
  if (res.locals.idempotencyKey === undefined) {
    const sent = req.headersDistinct["idempotency-key"] ?? [];
    const isMissing = sent.every((value) => value === "");
    const other = Object.keys(req.headersDistinct).find((name) => name !== "idempotency-key" && OTHER_NAME.test(name));
    const missing = other ? `${noKey.message}, instead of ${other}` : noKey.message;
    const rule = "must be sent exactly once, with 1 to 128 printable ASCII characters";
    throw failFields([{ ...noKey, message: isMissing ? missing : `${rule}: ${whatBreaks(sent)}` }]);
  }
  next();
};

export const requireCarrier: Middleware = (_req, res, next) => {
  if (res.locals.admission.caller.environment === "live") throw fail("carrier_not_configured");
  next();
};

/** Checks the key again after a slow body. The body can arrive half a minute after the key was read, and the key may have been revoked meanwhile. */
export function recheckKey(deps: ApiDeps): Middleware {
  return async (_req, res, next) => {
    const { admission, wasBodyLate } = res.locals;
    if (wasBodyLate && !(await isKeyValid(deps, admission))) throw fail("unauthorized");
    next();
  };
}
