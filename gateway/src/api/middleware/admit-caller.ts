import type { IncomingMessage } from "node:http";
import { fail } from "@shipping/kit/errors";
import { createAdmit } from "../../admission/admit.js";
import { parseApiKey } from "../../admission/api-key.js";
import type { ApiDeps } from "../deps.js";
import type { Step } from "../locals.js";

const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

/** The key's look-up, its rate window and the idempotency key's: one round trip in front of every request. Its body is not read yet. */
export function admitCaller(deps: ApiDeps): Step {
  const policy = `"default";q=${deps.requestsPerMinute};w=60`;
  const admit = createAdmit(deps);
  return async (req, res, next) => {
    // Of two headers Node silently drops the second.
    const [authorization, ...others] = req.headersDistinct.authorization ?? [];
    const key = others.length === 0 ? parseApiKey(authorization) : undefined;
    if (!key) throw fail("unauthorized");
    const idempotencyKey = req.method === "GET" ? undefined : idempotencyKeyOf(req);
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

/** The header's value if it is valid. Node would join two headers with a comma, so they are read one by one. */
function idempotencyKeyOf(req: IncomingMessage): string | undefined {
  const sent = req.headersDistinct["idempotency-key"];
  const [key = ""] = sent ?? [];
  return sent?.length === 1 && PRINTABLE.test(key) ? key : undefined;
}
