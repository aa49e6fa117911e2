import { fail } from "@shipping/kit/errors";
import { sendAnswer } from "../../http/send.js";
import { noQuery } from "../../input/schemas.js";
import { validQuery } from "../../input/validate.js";
import { callOptions } from "../../service-clients/call-owner.js";
import type { ApiDeps } from "../deps.js";
import { idOf, type ReadRoute } from "../endpoint.js";
import type { Step } from "../locals.js";

// A read changes nothing, so an early 503 is better than a late answer.
const READ_MS = 5_000;

export function answerRead(deps: ApiDeps, route: ReadRoute): Step {
  return async (req, res) => {
    const { admission, requestId, deadline } = res.locals;
    const query = validQuery(route.query ?? noQuery, req.url);
    const id = idOf(route, req.params);
    if (route.id && !route.id.safeParse(id).success) throw fail("not_found");
    const options = callOptions({ requestId, deadline: Math.min(deadline, performance.now() + READ_MS) });
    sendAnswer(
      res,
      route.status,
      await route.handler(deps, { caller: admission.caller, admission, id, query }, options),
    );
  };
}
