import { fail } from "@shipping/kit/errors";
import { isKeyValid } from "../../admission/is-key-valid.js";
import type { ApiDeps } from "../deps.js";
import type { Step } from "../locals.js";

/** Looks the key up again after a late body, which may arrive half a minute after the key was admitted: it may be revoked by then. */
export function confirmKey(deps: ApiDeps): Step {
  return async (_req, res, next) => {
    const { admission, wasBodyLate } = res.locals;
    if (wasBodyLate && !(await isKeyValid(deps, admission))) throw fail("unauthorized");
    next();
  };
}
