import type { ApiDeps } from "../deps.js";
import type { Route } from "../endpoint.js";
import type { Step } from "../locals.js";

const LIST_WEIGHT = 8;
const FILE_WEIGHT = 2;
/** The size of a body that weighs as much as a read. */
const BODY_BYTES = 8 * 1024;
/**
 * How many bytes of large bodies an account may send in a second while others wait: the objects that are made of them keep the garbage
 * collector busy.
 */
const BODY_BYTES_PER_SECOND = 2 * 1024 * 1024;

// With less time left, no call would be sent (`callOptions`).
const RESERVE_MS = 1_000;

/** Makes a request wait for its account's turn, and holds the turn until it is answered. */
export function takeTurn(deps: ApiDeps, route: Route, answer: Step): Step {
  const least = weightOf(route);
  return async (req, res, next) => {
    const { admission, bytes, deadline } = res.locals;
    const size = bytes?.length ?? 0;
    const weight = Math.max(least, Math.ceil(size / BODY_BYTES));
    const restMs = (1_000 * size) / BODY_BYTES_PER_SECOND;
    const { accountId } = admission.caller;
    const onGone = (gone: () => void) => void res.once("close", gone);
    const endTurn = await deps.bulkhead.enter({ accountId, weight, restMs, deadline: deadline - RESERVE_MS, onGone });
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
