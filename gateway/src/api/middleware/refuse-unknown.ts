import { unknownRoute } from "../../http/failure-of.js";
import type { Step } from "../locals.js";

const METHODS = new Set(["GET", "POST", "DELETE"]);

/** Express would answer HEAD for every GET, and OPTIONS for every path: here they are unknown routes. */
export const refuseMethod: Step = (req, _res, next) => {
  if (!METHODS.has(req.method)) throw unknownRoute();
  next();
};

/**
 * An escape in a path makes it another one, in a fixed word as in an id: paths match as they are written, and none of ours holds a
 * character that has to be escaped.
 */
export const refuseEscapes: Step = (req, _res, next) => {
  if (req.path.includes("%")) throw unknownRoute();
  next();
};

/** The last step: no route has matched. */
export const refuseRoute: Step = () => {
  throw unknownRoute();
};
