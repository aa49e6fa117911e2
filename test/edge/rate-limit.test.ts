import { operations } from "@shipping/api/operations/operations";
import { countNow } from "@shipping/gateway/testing/stored-requests";
import { type ApiAnswer, patiently } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";
import { ask, type Customer, goodRequest, nameOf, newCustomer, ofEach, record, told, warmUp } from "./operations.js";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ replicas: 3 });
  await warmUp(stack);
});
afterAll(() => stack.stop());

const LIMIT = 120;
const newHolder = ({ accountId }: Customer) => newCustomer(stack, { accountId });

/** The number of remaining requests, from the response's header. */
function leftOf({ headers }: ApiAnswer<unknown>): number {
  expect(headers.get("ratelimit-policy")).toBe('"default";q=120;w=60');
  const [, left, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(Number(seconds)).toBeLessThanOrEqual(61);
  return Number(left);
}

/**
 * Sends this many requests at once, spread over the replicas, and counts the responses of each kind. A slow machine may refuse a request for
 * waiting too long, before it is counted; such a request is sent again.
 */
async function burst(customer: Customer, requests: number): Promise<Record<string, number>> {
  const replicas = stack.baseUrls.map((baseUrl) => customer.through(baseUrl));
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, n) =>
      patiently(() => ask(replicas[n % replicas.length]!, { method: "GET", path: "/account" })),
    ),
  );
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[told(answer)] = (counts[told(answer)] ?? 0) + 1;
  return counts;
}

describe("120 requests per minute and key", () => {
  test("of 200 parallel requests through three gateways exactly 120 pass", async () => {
    const customer = await newCustomer(stack);
    expect(await burst(customer, 200)).toEqual({ "200": LIMIT, "429 rate_limited": 80 });
    expect(await burst(customer, 40)).toEqual({ "429 rate_limited": 40 });
  });

  describe("once they are used up", () => {
    let customer: Customer;
    let other: Customer;
    beforeAll(async () => {
      customer = await newCustomer(stack);
      other = await newHolder(customer);
      await burst(customer, LIMIT);
    });
    // Sets the time of use to now, because a busy machine may take a minute for all these tests.
    beforeEach(() => countNow(stack.databases.gateway));

    test("429 with Retry-After: 60 for every operation", async () => {
      for (const route of operations) {
        const answer = await ask(customer, await goodRequest(other, route));
        expect([told(answer), answer.headers.get("retry-after"), leftOf(answer)]).toEqual([
          "429 rate_limited",
          "60",
          0,
        ]);
      }
    });
  });
});

describe("what is counted", () => {
  test("one for every operation, whose answer says what is left", async () => {
    const customer = await newCustomer(stack);
    const holder = await newHolder(customer);
    const asked = await ofEach(operations, (route) => goodRequest(holder, route));
    for (const [n, route] of operations.entries()) {
      const answer = await ask(customer, asked[nameOf(route)]!);
      expect([answer.status, leftOf(answer)]).toEqual([route.status, LIMIT - 1 - n]);
    }
  });

  test("refusals of every kind count, and say what is left", async () => {
    const customer = await newCustomer(stack, { scopes: ["account:read", "orders:write", "orders:read"] });
    const post = (body: string | undefined, headers: Record<string, string> = {}) =>
      customer.send("POST", "/orders", {
        ...(body !== undefined && { body }),
        headers: { "Idempotency-Key": "k", ...headers },
      });
    const order = JSON.stringify(record);
    const sent: [string, () => Promise<ApiAnswer<unknown>>][] = [
      ["403 missing_scope", () => customer.send("GET", "/labels")],
      ["422 invalid_request Idempotency-Key", () => customer.send("POST", "/orders", { body: order })],
      ["415 unsupported_media_type", () => post(order, { "Content-Type": "text/plain" })],
      ["413 payload_too_large", () => post(order.padEnd(65_537))],
      ["400 invalid_json", () => post("{")],
      ["422 invalid_request x", () => post(JSON.stringify({ ...record, x: 1 }))],
      ["201", () => post(order)],
      ["201", () => post(order)],
      ["409 idempotency_conflict", () => post("{}")],
      ["404 not_found", () => customer.send("GET", "/orders/x")],
      ["422 invalid_request limit", () => customer.send("GET", "/orders?limit=0")],
    ];
    let left = LIMIT;
    for (const [expected, request] of sent) {
      const answer = await request();
      expect([told(answer), leftOf(answer)]).toEqual([expected, --left]);
    }
  });

  test("requests without a good key, to unknown operations and to the documentation do not count", async () => {
    const customer = await newCustomer(stack);
    const free = ["/nothing", "/orders/", "/openapi.json"].map((path) => customer.send("GET", path));
    const answers = await Promise.all([...free, customer.send("GET", "/account", { key: "x" })]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 200, 401]);
    for (const { headers } of answers) expect(headers.has("ratelimit")).toBe(false);
    expect(leftOf(await customer.send("GET", "/account"))).toBe(LIMIT - 1);
  });
});
