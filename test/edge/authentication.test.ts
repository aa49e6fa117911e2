import { randomBytes } from "node:crypto";
import { newApiKey } from "@shipping/api/api-key";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { refusal } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { allOf, type Customer, formOf, newCustomer, ofEach, told } from "./operations.js";
import { exchange, headOf } from "./wire.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

/** The error of every operation for such an Authorization header. */
const refusals = (authorization: string | readonly string[] | undefined) =>
  ofEach(operations, async (route) => {
    const headers = { Authorization: authorization };
    const answer = await customer.send(route.method, formOf(route).path, { headers });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.headers.has("ratelimit")).toBe(false);
    expect(answer.headers.has("ratelimit-policy")).toBe(false);
    return refusal(answer);
  });

const unauthorized = allOf(operations, "401 unauthorized");

describe("401 unauthorized for every operation", () => {
  test.each<[string, (key: string) => string | readonly string[]]>([
    ["a second header", (key) => [`Bearer ${key}`, "Bearer x"]],
    ["a second header that is good", (key) => ["Basic x", `Bearer ${key}`]],
    ["another scheme", (key) => `Basic ${key}`],
    ["no scheme", (key) => key],
    ["something behind the key", (key) => `Bearer ${key} x`],
    ["a key with a character too few", (key) => `Bearer ${key.slice(0, -1)}`],
    ["a sandbox key under the prefix of live", (key) => `Bearer ${key.replace("test", "live")}`],
    ["a key that nobody was given", () => `Bearer ${newApiKey("sandbox", randomBytes).key}`],
    ["bytes that are not ASCII", () => "Bearer \u00fc\u00ff"],
  ])("with %s", async (_case, authorization) => {
    expect(await refusals(authorization(customer.key))).toEqual(unauthorized);
  });

  test("with the key elsewhere: in the query, in a cookie, in another header", async () => {
    const headers = { Authorization: undefined, Cookie: `key=${customer.key}`, "X-Api-Key": customer.key };
    const messages = new Set<string>();
    const answers = await ofEach(operations, async (route) => {
      const answer = await customer.send(route.method, `${formOf(route).path}?api_key=${customer.key}`, { headers });
      messages.add(answer.body.error.message);
      return told(answer);
    });
    expect(answers).toEqual(unauthorized);
    const [message, ...others] = messages;
    expect(message).toMatch(/^Send the API key as Authorization: Bearer <key>, not in the query\./);
    expect(others).toEqual([]);
  });
});

describe("a body without a key", () => {
  const announced = { "Content-Type": "application/json", "Content-Length": "60000", "Idempotency-Key": "k" };

  test("is not waited for, nor asked for when the client offers it", async () => {
    for (const headers of [announced, { ...announced, Expect: "100-continue" }]) {
      const answers = await ofEach(operations, async (route) => {
        const head = headOf(route.method, BASE_PATH + formOf(route).path, { headers });
        return (await exchange(Number(new URL(stack.baseUrl).port), head)).map(({ status }) => status);
      });
      expect(answers).toEqual(allOf(operations, [401]));
    }
  });
});
