import { fail } from "@shipping/kit/errors";
import { unknownRoute } from "../../http/failure-of.js";
import { BASE_PATH, PLACEHOLDER, type Route } from "../endpoint.js";
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

/** The last step: no route has matched. Where only the base path is missing or wrong, the refusal names the right one. */
export function refuseRoute(routes: readonly Pick<Route, "path">[]): Step {
  const forms = routes.map(({ path }) => ({
    path,
    form: new RegExp(`^(?:/api)?(?:/v\\d+)?${path.replace(PLACEHOLDER, "[^/]+")}$`),
  }));
  return (req) => {
    const meant = req.path.startsWith(`${BASE_PATH}/`) ? undefined : forms.find(({ form }) => form.test(req.path));
    if (!meant) throw unknownRoute();
    throw fail("not_found", `The API begins at ${BASE_PATH}. Use the path ${BASE_PATH}${meant.path}.`);
  };
}
