import type { WriteOperation } from "@shipping/api/operations/operation";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import {
  type Asked,
  allOf,
  ask,
  type Customer,
  formOf,
  goodRequest,
  nameOf,
  newCustomer,
  ofEach,
  posts,
  record,
  told,
  writes,
} from "./operations.js";

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

async function executed(route: WriteOperation, holder = customer) {
  const asked = await goodRequest(holder, route);
  const first = await under(asked, holder);
  expect(told(first)).toBe(String(route.status));
  return { asked, first };
}

describe("the Idempotency-Key", () => {
  test("422 for every write without it, naming the header, even with an unreadable body", async () => {
    const headers = { "Idempotency-Key": undefined, "Content-Type": "text/plain" };
    const answers = await ofEach(writes, async (route) => told(await ask(customer, formOf(route), { headers })));
    expect(answers).toEqual(allOf(writes, "422 invalid_request Idempotency-Key"));
  });

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

describe("the same request and key", () => {
  test.each(writes)("$method $path: the original status and bytes, marked as replayed", async (route) => {
    const { asked, first } = await executed(route);
    for (let n = 0; n < 2; n++) expectReplay(await under(asked), first);
  });

  test("another spelling of the same JSON is the same content: order, white space, escapes, numbers, a member that is overridden", async () => {
    const json = JSON.stringify(record);
    const first = await under(order);
    const texts = [
      ` \r\n${JSON.stringify(Object.fromEntries(Object.entries(record).reverse()), null, "\t")}\n\n`,
      json.replace("1.5", "15e-1").replace(":30", ":30.0").replace(":20", ":2E1"),
      json.replace("1.5", "1.50000000000000000001").replace(":30", ":30.000000000000001"),
      json.replace("PO-1042", "\\u0050O\\u002d1042").replace("Zoë", "Zo\\u00eb").replace("/", "\\/"),
      json.replace("{", '{"reference":"another",'),
    ];
    for (const body of texts) {
      expect(body).not.toBe(json);
      expectReplay(await ask(customer, order, { body, headers: { "Idempotency-Key": KEY } }), first);
    }
  });

  test("other headers do not matter, nor does the way the body is sent", async () => {
    const json = JSON.stringify(record);
    const first = await under(order);
    const again = await ask(customer, order, {
      body: `${Buffer.byteLength(json).toString(16)}\r\n${json}\r\n0\r\n\r\n`,
      headers: {
        "Idempotency-Key": KEY,
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": undefined,
        "Transfer-Encoding": "chunked",
        "X-Request-Id": "mine",
      },
    });
    expectReplay(again, first);
  });
});

describe("409 idempotency_conflict", () => {
  const CONFLICT = "409 idempotency_conflict";

  test("for a used key on every other write", async () => {
    await under(order);
    const others = writes.filter((route) => nameOf(route) !== "POST /orders");
    const answers = await ofEach(others, async (route) => told(await under(await goodRequest(customer, route))));
    expect(answers).toEqual(allOf(others, CONFLICT));
  });

  test.each(writes)(
    "for $method $path on another resource or with another body, and the first is still replayed",
    async (route) => {
      const { asked, first } = await executed(route);
      const other = await goodRequest(customer, route);
      const body = route.id ? other.body : { ...(other.body as object), x: 1 };
      expect(told(await under({ ...other, ...(body !== undefined && { body }) }))).toBe(CONFLICT);
      expectReplay(await under(asked), first);
    },
  );

  test.each(posts)("for $method $path with a number that double precision does not preserve", async (route) => {
    const { asked } = await executed(route);
    const members = JSON.stringify(asked.body).slice(1, -1);
    for (const number of ["12345678901234567890", "1e400"]) {
      const body = `{${[`"x":[${number}]`, members].filter(Boolean).join()}}`;
      const answers = [KEY, `${KEY} ${number}`].map((key) =>
        ask(customer, asked, { body, headers: { "Idempotency-Key": key } }),
      );
      const refused = expect.stringMatching(/^422 invalid_request .*x\.0/);
      expect((await Promise.all(answers)).map(told)).toEqual([CONFLICT, refused]);
    }
  });
});

describe("keys are scoped to account and environment, not to a credential", () => {
  test("sandbox and live, and two accounts, do not meet", async () => {
    const live = await newCustomer(stack, { accountId: customer.accountId, environment: "live" });
    const holders = [customer, live, await newCustomer(stack)];
    const firsts = await Promise.all(holders.map((holder) => under(order, holder)));
    expect(new Set(firsts.map(({ body }) => body.data.id)).size).toBe(3);
    for (const [n, holder] of holders.entries()) expectReplay(await under(order, holder), firsts[n]!);
  });

  test("a new key of the account replays what the revoked one did", async () => {
    const first = await under(order);
    const rotated = await newCustomer(stack, { accountId: customer.accountId });
    await stack.revokeKey(customer.keyId);
    expect(told(await under(order))).toBe("401 unauthorized");
    expectReplay(await under(order, rotated), first);
  });
});
