import { fail, failFields } from "@shipping/kit/errors";
import type { Scope } from "../../admission/api-key.js";
import type { Step } from "../locals.js";

export function requireScope(scope: Scope): Step {
  return (_req, res, next) => {
    if (!res.locals.admission.scopes.includes(scope))
      throw fail("missing_scope", `The API key does not have the scope ${scope}.`);
    next();
  };
}

export const requireIdempotencyKey: Step = (_req, res, next) => {
  if (res.locals.idempotencyKey === undefined) {
    throw failFields([
      { path: "Idempotency-Key", message: "must be sent exactly once, with 1 to 128 printable ASCII characters" },
    ]);
  }
  next();
};

export const requireCarrier: Step = (_req, res, next) => {
  if (res.locals.admission.caller.environment === "live") throw fail("carrier_not_configured");
  next();
};
