import { sourceOf } from "../../http/source.js";
import type { ApiDeps } from "../deps.js";
import type { Step } from "../locals.js";

/** Has pages, which need no API key, wait until it is time for the next one of their address. */
export function paceAnonymous({ pace, trustedProxies }: ApiDeps): Step {
  return async (req, res, next) => {
    await pace.turn(sourceOf(req, trustedProxies), res);
    res.locals.paced = true;
    if (!res.destroyed) next();
  };
}
