import type { WriteRoute } from "@shipping/gateway/api/endpoint";
import { type Stack, sharedStack } from "../platform/stack.js";
import { allOf, ask, type Customer, formOf, goodRequest, newCustomer, ofEach, told, writes } from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

type Value = string | readonly string[] | undefined;

/** The response of every write to such a key, even with an unreadable body. */
const refusals = (key: Value) =>
  ofEach(writes, async (route) =>
    told(await ask(customer, formOf(route), { headers: { "Idempotency-Key": key, "Content-Type": "text/plain" } })),
  );

describe("422 for every write, naming the header", () => {
  test.each<[string, Value]>([
    ["absent", undefined],
    ["empty", ""],
    ["nothing but spaces, which HTTP takes away", "   "],
    ["129 characters long", "k".repeat(129)],
    ["8,000 characters long", "k".repeat(8_000)],
    ["with a letter beyond ASCII", "clé"],
    ["with bytes beyond ASCII", "\u00ff\u0080"],
    ["with a tab inside", "a\tb"],
    ["sent twice", ["a", "b"]],
    ["sent twice with one value", ["a", "a"]],
    ["sent twice, once empty", ["a", ""]],
  ])("when it is %s", async (_case, key) => {
    expect(await refusals(key)).toEqual(allOf(writes, "422 invalid_request Idempotency-Key"));
  });

  test("when it is sent under two spellings of the header", async () => {
    const headers = { "Idempotency-Key": "a", "idempotency-key": "a" };
    const answers = await ofEach(writes, async (route) => told(await ask(customer, formOf(route), { headers })));
    expect(answers).toEqual(allOf(writes, "422 invalid_request Idempotency-Key"));
  });
});

/** Executes an operation with a key, and asserts that a repetition is the replay. */
async function executedAndReplayed(route: WriteRoute, key: string): Promise<void> {
  const mine = await newCustomer(stack);
  const asked = await goodRequest(mine, route);
  const headers = { "Idempotency-Key": key };
  const first = await ask(mine, asked, { headers });
  expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([route.status, null]);
  const again = await ask(mine, asked, { headers });
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([route.status, "true"]);
  expect(again.bytes).toEqual(first.bytes);
}

describe("a proper key", () => {
  test.each([
    ["of 1 character", "k"],
    ["of 128 characters", "k".repeat(128)],
    ["of 128 times the first printable character but the space", "!".repeat(128)],
    ["with a space inside", "order 1042"],
    ["of every printable character", Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join("")],
    ["that reads like SQL", "'; DROP TABLE orders; --"],
    ["that reads like JSON", '{"a":[1,2]}'],
    ["with a comma, which is no second one", "a, b"],
    ["that is the name of an object's member", "__proto__"],
  ])("%s is taken by every write, and known again", async (_case, key) => {
    for (const route of writes) await executedAndReplayed(route, key);
  });

  test("is taken without the spaces around it", async () => {
    const [route] = writes as [WriteRoute];
    const asked = await goodRequest(customer, route);
    expect((await ask(customer, asked, { headers: { "Idempotency-Key": "  bare " } })).status).toBe(201);
    const again = await ask(customer, asked, { headers: { "Idempotency-Key": "bare" } });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  test("is compared letter by letter: capitals and trailing dots make another one", async () => {
    const [route] = writes as [WriteRoute];
    const asked = await goodRequest(customer, route);
    const ids = [];
    for (const key of ["case", "Case", "CASE", "case."]) {
      const answer = await ask(customer, asked, { headers: { "Idempotency-Key": key } });
      expect([answer.status, answer.headers.has("idempotency-replayed")]).toEqual([201, false]);
      ids.push(answer.body.data.id);
    }
    expect(new Set(ids).size).toBe(4);
  });

  test("does nothing on a read, whatever it is", async () => {
    for (const key of ["k", "", "clé", ["a", "b"]]) {
      const answer = await customer.send("GET", "/account", { headers: { "Idempotency-Key": key } });
      expect(answer.status).toBe(200);
    }
  });
});
