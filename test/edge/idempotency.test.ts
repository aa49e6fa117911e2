import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Asked, ask, type Customer, newCustomer, record, told } from "./operations.js";

// Answers to repeated requests are tested beside `gateway/src/idempotency`, and by the checks `idempotency.*` of `conformance`.
let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
});
beforeEach(async () => {
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

const KEY = "the key";
const order: Asked = { method: "POST", path: "/orders", body: record };
const under = (asked: Asked, holder = customer, key = KEY) =>
  ask(holder, asked, { headers: { "Idempotency-Key": key } });
const isReplayed = ({ headers }: ApiAnswer<unknown>) => headers.get("idempotency-replayed") === "true";

/** Asserts that the second response is the replay of the first: its status and its bytes. */
function expectReplay(again: ApiAnswer<unknown>, first: ApiAnswer<unknown>): void {
  expect([again.status, isReplayed(again), isReplayed(first)]).toEqual([first.status, true, false]);
  expect(again.bytes).toEqual(first.bytes);
  expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
}

describe("the Idempotency-Key", () => {
  test.each<[string, string | readonly string[]]>([
    ["empty", ""],
    ["nothing but spaces, which HTTP removes", "   "],
    ["129 characters long", "k".repeat(129)],
    ["8,000 characters long", "k".repeat(8_000)],
    ["with bytes beyond ASCII", "\u00ff\u0080"],
    ["with a tab inside", "a\tb"],
    ["sent twice with one value", ["a", "a"]],
    ["sent twice, once empty", ["a", ""]],
  ])("422 for a key that is %s", async (_case, key) => {
    const answer = await ask(customer, order, { headers: { "Idempotency-Key": key } });
    expect(told(answer)).toBe("422 invalid_request Idempotency-Key");
  });

  test.each([
    ["of 1 character", "k"],
    ["of 128 characters", "k".repeat(128)],
    ["with a space inside", "order 1042"],
    ["of every printable character", Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join("")],
    ["that reads like JSON", '{"a":[1,2]}'],
    ["with a comma, which is no second one", "a, b"],
    ["that is the name of an object's member", "__proto__"],
  ])("%s is taken, and known again", async (_case, key) => {
    const first = await under(order, customer, key);
    expectReplay(await under(order, customer, ` ${key}  `), first);
  });

  test("is compared letter by letter: capitals and trailing dots make another one", async () => {
    const answers = [];
    for (const key of ["case", "Case", "case."]) answers.push(await under(order, customer, key));
    expect(answers.map((answer) => [answer.status, isReplayed(answer)])).toEqual(Array(3).fill([201, false]));
  });

  test("does nothing on a read, whatever it is", async () => {
    for (const key of ["k", "", "clé", ["a", "b"]]) {
      const answer = await customer.send("GET", "/account", { headers: { "Idempotency-Key": key } });
      expect(answer.status).toBe(200);
    }
  });
});
