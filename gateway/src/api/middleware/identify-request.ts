import { newId, type Random } from "@shipping/kit/ids";
import { httpFault } from "../../http/http-rules.js";
import { ANSWER_MS, type Step } from "../locals.js";

/** Gives every request its id, made here and never taken from the client, and refuses what is not HTTP. */
export function identifyRequest(random: Random): Step {
  return (req, res, next) => {
    res.locals.requestId = newId("req", random);
    res.locals.startedAt = performance.now();
    res.locals.deadline = performance.now() + ANSWER_MS;
    res.setHeader("X-Request-Id", res.locals.requestId);
    res.setHeader("X-Content-Type-Options", "nosniff");
    const fault = httpFault(req);
    if (!fault) return next();
    // It is unknown where the next request would begin.
    res.setHeader("Connection", "close");
    throw fault;
  };
}
