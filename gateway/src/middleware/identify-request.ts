import { fail } from "@shipping/kit/errors";
import { newId, type Random } from "@shipping/kit/ids";
import { ANSWER_MS, type Step } from "../locals.js";

/** Gives every request its id, made here and never taken from the client. */
export function identifyRequest(random: Random): Step {
  return (req, res, next) => {
    res.locals.requestId = newId("req", random);
    res.locals.startedAt = performance.now();
    res.locals.deadline = Date.now() + ANSWER_MS;
    res.setHeader("X-Request-Id", res.locals.requestId);
    // Node would answer a missing one itself, without our error object, so the server leaves it to us; of two it would drop one.
    if (req.httpVersion === "1.1" && req.headersDistinct.host?.length !== 1)
      throw fail("bad_request", "The Host header must be sent once.");
    next();
  };
}
