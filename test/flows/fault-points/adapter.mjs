import { openCarrier as open } from "../../carrier/simulator/dist/adapter.js";
import { between } from "./points.mjs";

/** A carrier whose calls have the points `before-call <method>` and `after-call <method>`. */
export function openCarrier(url) {
  const carrier = open(url);
  const calls = ["book", "find", "cancel"].map((method) => [
    method,
    (...call) => between(`before-call ${method}`, `after-call ${method}`, () => carrier[method](...call)),
  ]);
  return { ...carrier, ...Object.fromEntries(calls) };
}
