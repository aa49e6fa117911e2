import type { AppDeps } from "../deps.js";
import type { Step } from "../locals.js";
import type { Route } from "../route.js";

const LIST_WEIGHT = 8;
const FILE_WEIGHT = 2;

// With less time than this left nothing would be sent any more (`callOptions`).
const RESERVE_MS = 1_000;

/** Has a request wait for its account's turn, and holds the turn until it is answered. */
export function takeTurn(deps: AppDeps, route: Route, answer: Step): Step {
  const weight = weightOf(route);
  return async (req, res, next) => {
    const { admission, deadline } = res.locals;
    const { accountId } = admission.caller;
    const onGone = (gone: () => void) => void res.once("close", gone);
    const endTurn = await deps.bulkhead.enter({ accountId, weight, deadline: deadline - RESERVE_MS, onGone });
    try {
      await answer(req, res, next);
      deps.waiting.add(res, accountId);
    } finally {
      endTurn();
    }
  };
}

function weightOf(route: Route): number {
  if (route.answers === "application/pdf") return FILE_WEIGHT;
  return route.method === "GET" && route.query ? LIST_WEIGHT : 1;
}
