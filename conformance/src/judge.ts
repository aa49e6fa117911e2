import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "./exchange.js";

/** The promise is broken; the message says what was seen instead. */
export class Broken extends Error {
  override readonly name = "Broken";
}

/** Nothing can be said about the promise; the message says why. */
export class NotJudged extends Error {
  override readonly name = "NotJudged";
}

/** What the check needs is not there; the message says what. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}

/** The server says, or shows, that it runs with a switch under which the promise means nothing; the message says which, after "because". */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";

  constructor(why: string) {
    super(`because ${why}`);
  }
}

/** Going on might cost money or reach someone: the run ends here. */
export class Unsafe extends Error {
  override readonly name = "Unsafe";
}

/** What is asked for is not to be had: nothing was sent. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A line about what was asked and what came back. */
export function told({ method, path, status, json }: Exchange): string {
  return [method, path, "answered", status, json?.error?.code].filter((part) => part !== undefined).join(" ");
}

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise);
}

/** The same value, whatever the order of an object's members. */
export function mustBe(actual: unknown, expected: unknown, what: string): void {
  const show = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  must(isDeepStrictEqual(actual, expected), `${what} is ${show(actual)}, not ${show(expected)}`);
}

export function mustMatch(actual: unknown, form: RegExp, what: string): void {
  must(typeof actual === "string" && form.test(actual), `${what} is ${JSON.stringify(actual) ?? "absent"}`);
}

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;
const SUCCESS = [200, 201, 202, 204];

export const succeeded = ({ status }: Exchange) => SUCCESS.includes(status);

/** The `data` of a success, whose status the specification leaves open unless it is given. */
export function mustSucceed(exchange: Exchange, status?: number): Exchange["json"] {
  const holds = status === undefined ? succeeded(exchange) : exchange.status === status;
  must(holds, `${told(exchange)}, not ${status ?? "a success"}`);
  must(exchange.json?.data !== undefined, `${told(exchange)} without \`data\``);
  return exchange.json.data;
}

/** A refusal with one of these statuses, and with this code where one is given. */
export function mustRefuse(exchange: Exchange, statuses: number | readonly number[], code?: string): void {
  const expected = [statuses].flat();
  must(expected.includes(exchange.status), `${told(exchange)}, not ${expected.join(" or ")}`);
  if (code !== undefined) must(exchange.json?.error?.code === code, `${told(exchange)}, not ${code}`);
}

/** A success that a check needs but does not judge: its `data`. */
export function given(exchange: Exchange): Exchange["json"] {
  if (succeeded(exchange) && exchange.json?.data !== undefined) return exchange.json.data;
  throw new NotJudged(told(exchange));
}
