import { sourceOf } from "../../http/source.js";
import type { ApiDeps } from "../deps.js";
import type { Step } from "../locals.js";

/** Delays anonymous requests, those for pages, to the pace of their address. */
export function paceAnonymous({ pace, trustedProxies }: ApiDeps): Step {
  return async (req, res, next) => {
    res.locals.pacedMs = await pace.turn(sourceOf(req, trustedProxies), res);
    if (!res.destroyed) next();
  };
}
