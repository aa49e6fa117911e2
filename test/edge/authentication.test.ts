import { randomBytes } from "node:crypto";
import { newApiKey } from "@shipping/gateway/admission/api-key";
import { BASE_PATH } from "@shipping/gateway/api/endpoint";
import { routes } from "@shipping/gateway/api/endpoints/endpoints";
import sql from "sql-template-tag";
import { refusal } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { allOf, ask, type Customer, formOf, goodRequest, newCustomer, ofEach, told } from "./operations.js";
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
  ofEach(routes, async (route) => {
    const headers = { Authorization: authorization };
    const answer = await customer.send(route.method, formOf(route).path, { headers });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.headers.has("ratelimit")).toBe(false);
    expect(answer.headers.has("ratelimit-policy")).toBe(false);
    return refusal(answer);
  });

async function counted(keyId: string): Promise<number> {
  const [row] = await stack.databases.gateway.run<{ sum: bigint }>(
    sql`SELECT sum(n) FROM rate_windows, unnest(counters) AS n WHERE key_id = ${keyId}`,
  );
  return Number(row?.sum);
}

const unauthorized = allOf(routes, "401 unauthorized");
const otherCharacter = (character: string | undefined) => (character === "a" ? "b" : "a");

describe("401 unauthorized for every operation", () => {
  test("without an Authorization header", async () => {
    expect(await refusals(undefined)).toEqual(unauthorized);
  });

  test.each<[string, (key: string) => string | readonly string[]]>([
    ["no value", () => ""],
    ["a second header", (key) => [`Bearer ${key}`, "Bearer x"]],
    ["a second header that is equal", (key) => [`Bearer ${key}`, `Bearer ${key}`]],
    ["a second header that is good", (key) => ["Basic x", `Bearer ${key}`]],
    ["the scheme alone", () => "Bearer"],
    ["another scheme", (key) => `Basic ${key}`],
    ["no scheme", (key) => key],
    ["no space behind the scheme", (key) => `Bearer${key}`],
    ["something behind the key", (key) => `Bearer ${key} x`],
    ["two keys", (key) => `Bearer ${key}, Bearer ${key}`],
    ["a key in quotes", (key) => `Bearer "${key}"`],
    ["a key in capitals", (key) => `Bearer ${key.toUpperCase()}`],
    ["a key with a character too few", (key) => `Bearer ${key.slice(0, -1)}`],
    ["a key with a character too many", (key) => `Bearer ${key}0`],
    [
      "a key with a typo in its random part",
      (key) => `Bearer ${key.slice(0, 20)}${otherCharacter(key[20])}${key.slice(21)}`,
    ],
    ["a key with a typo in its checksum", (key) => `Bearer ${key.slice(0, -1)}${otherCharacter(key.at(-1))}`],
    ["a sandbox key under the prefix of live", (key) => `Bearer ${key.replace("test", "live")}`],
    ["a key that nobody was given", () => `Bearer ${newApiKey("sandbox", randomBytes).key}`],
    ["bytes that are not ASCII", () => "Bearer \u00fc\u00ff"],
    ["15,000 characters", () => `Bearer ${"a".repeat(15_000)}`],
  ])("with %s", async (_case, authorization) => {
    expect(await refusals(authorization(customer.key))).toEqual(unauthorized);
  });

  test("with an expired key, which is not counted", async () => {
    const expired = await stack.newKey(customer.accountId, "sandbox", { expiresInMs: -1 });
    expect(await refusals(`Bearer ${expired.key}`)).toEqual(unauthorized);
    expect(await counted(expired.id)).toBe(0);
  });

  test("with the key elsewhere: in the query, in a cookie, in another header", async () => {
    const headers = { Authorization: undefined, Cookie: `key=${customer.key}`, "X-Api-Key": customer.key };
    const answers = await ofEach(routes, async (route) =>
      told(await customer.send(route.method, `${formOf(route).path}?api_key=${customer.key}`, { headers })),
    );
    expect(answers).toEqual(unauthorized);
  });
});

describe("a key that is revoked between two requests", () => {
  test.each(routes)("401 at once for $method $path, and requests no longer count", async (route) => {
    const asked = await goodRequest(customer, route);
    const other = await newCustomer(stack, { accountId: customer.accountId });
    expect((await ask(other, asked)).status).toBe(route.status);
    await stack.revokeKey(other.keyId);
    expect(told(await ask(other, asked))).toBe("401 unauthorized");
    expect(await counted(other.keyId)).toBe(1);
  });

  test("the account's other keys go on working", async () => {
    const other = await newCustomer(stack, { accountId: customer.accountId });
    await stack.revokeKey(other.keyId);
    expect((await customer.send("GET", "/account")).status).toBe(200);
  });
});

describe("a key that is good", () => {
  test.each(["bearer ", "BEARER   "])("200 for the scheme as %j", async (scheme) => {
    const headers = { Authorization: scheme + customer.key };
    expect((await customer.send("GET", "/account", { headers })).status).toBe(200);
  });
});

describe("a body without a key", () => {
  const port = () => Number(new URL(stack.baseUrl).port);
  const announced = { "Content-Type": "application/json", "Content-Length": "60000", "Idempotency-Key": "k" };

  test.each(routes)("is not waited for by $method $path", async (route) => {
    const head = headOf(route.method, BASE_PATH + formOf(route).path, { headers: announced });
    expect((await exchange(port(), head)).map(({ status }) => status)).toEqual([401]);
  });

  test("is not asked for when the client offers it", async () => {
    const headers = { ...announced, Expect: "100-continue" };
    const answers = await ofEach(routes, async (route) =>
      (await exchange(port(), headOf(route.method, BASE_PATH + formOf(route).path, { headers }))).map((a) => a.status),
    );
    expect(answers).toEqual(allOf(routes, [401]));
  });
});
