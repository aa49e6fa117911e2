import { unknownRoute } from "../failure-of.js";
import type { Step } from "../locals.js";

const METHODS = new Set(["GET", "POST", "DELETE"]);

/** Express would answer HEAD for every GET, and OPTIONS for every path: here they are unknown routes. */
export const refuseMethod: Step = (req, _res, next) => {
  if (!METHODS.has(req.method)) throw unknownRoute();
  next();
};

/** Last in line: nothing has taken the request. */
export const refuseRoute: Step = () => {
  throw unknownRoute();
};
