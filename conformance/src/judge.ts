import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "./exchange.js";

/** The promise is broken. The message says how. */
export class Broken extends Error {}

/** The check cannot tell whether the promise is kept. The message says why. */
export class NotJudged extends Error {}

/** The check needs something that was not given. The message says what. */
export class Skipped extends Error {}

/** The server runs with a setting that suspends the promise. The message says which, after "because". */
export class NotApplicable extends Error {
  constructor(why: string) {
    super(`because ${why}`);
  }
}

/** Continuing might cost money. The run stops. */
export class Unsafe extends Error {}

/** The command line is invalid. No request was sent. */
export class UsageError extends Error {}

/** For example `GET /account answered 401 unauthorized`. */
export function describeAnswer({ method, path, status, json }: Exchange): string {
  return [method, path, "answered", status, json?.error?.code].filter((part) => part !== undefined).join(" ");
}

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise);
}

/** Compares deeply. The order of an object's members does not matter. */
export function mustBe(actual: unknown, expected: unknown, what: string): void {
  const show = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  must(isDeepStrictEqual(actual, expected), `${what} is ${show(actual)}, not ${show(expected)}`);
}

/** Compares these members as `mustBe` does. Others do not matter. */
export function mustHave(actual: Exchange["json"], expected: object, what: string): void {
  mustBe(Object.fromEntries(Object.keys(expected).map((name) => [name, actual?.[name]])), expected, what);
}

export function mustMatch(actual: unknown, form: RegExp, what: string): void {
  must(typeof actual === "string" && form.test(actual), `${what} is ${JSON.stringify(actual) ?? "absent"}`);
}

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;
const SUCCESS = [200, 201, 202, 204];

export const succeeded = ({ status }: Exchange) => SUCCESS.includes(status);

/** The `data` of a success. Omit `status` if the specification does not define it. */
export function mustSucceed(exchange: Exchange, status?: number): Exchange["json"] {
  const holds = status === undefined ? succeeded(exchange) : exchange.status === status;
  must(holds, `${describeAnswer(exchange)}, not ${status ?? "a success"}`);
  must(exchange.json?.data !== undefined, `${describeAnswer(exchange)} without \`data\``);
  return exchange.json.data;
}

/** An error with one of these statuses, and with this code if one is given. */
export function mustRefuse(exchange: Exchange, statuses: number | readonly number[], code?: string): void {
  const expected = [statuses].flat();
  must(expected.includes(exchange.status), `${describeAnswer(exchange)}, not ${expected.join(" or ")}`);
  if (code !== undefined) must(exchange.json?.error?.code === code, `${describeAnswer(exchange)}, not ${code}`);
}

/** The `data` of a response that the check needs but does not judge. */
export function given(exchange: Exchange): Exchange["json"] {
  if (succeeded(exchange) && exchange.json?.data !== undefined) return exchange.json.data;
  throw new NotJudged(describeAnswer(exchange));
}
