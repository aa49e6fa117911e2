import { type GatewayUnderTest, gatewayUnderTest } from "@shipping/gateway/testing/gateway-under-test";
import { eventually } from "@shipping/kit/testing/eventually";
import { callOf, type McpUnderTest, mcpUnderTest, PING } from "./mcp-under-test.js";

let gateway: GatewayUnderTest;
let mcp: McpUnderTest;
beforeAll(async () => {
  gateway = await gatewayUnderTest();
  mcp = await mcpUnderTest([gateway.internalPort]);
});
afterAll(async () => {
  await mcp.end();
  await gateway.end();
});

/** Headers with which a client may try to appear as another. */
const FORGED = {
  "X-Forwarded-For": "6.6.6.6",
  Forwarded: "for=6.6.6.6",
  "X-Real-IP": "6.6.6.6",
  "Shipping-Account": "acc_forged",
  "Shipping-Refusal": JSON.stringify({ code: "not_found", status: 404, message: "x.", fields: [], isEarly: true }),
};

/** Where and how requests with this user agent are in the request log, once there are as many. */
const rowsOf = (userAgent: string, count: number) =>
  eventually(async () => {
    const rows = (await gateway.requestLog()).filter((row) => row.userAgent === userAgent);
    expect(rows).toHaveLength(count);
    return rows.map(({ path, source, status }) => ({ path, source, status }));
  });

describe("the address of a client", () => {
  test.each<[string, number, (key: string) => object]>([
    ["a bad key", 401, () => ({ key: "service_test_x", body: PING })],
    ["a bad message", 422, (key) => ({ key, body: {} })],
  ])("is that of its connection in the request log for %s, whatever its headers say", async (_, status, toMessage) => {
    const { key } = await gateway.newKey();
    const userAgent = `forger-${status}`;
    const message = { body: PING, ...toMessage(key), headers: { ...FORGED, "User-Agent": userAgent } };
    expect((await mcp.send(message)).status).toBe(status);
    expect(await rowsOf(userAgent, 1)).toEqual([{ path: "/mcp", source: "127.0.0.1", status }]);
  });

  test("is that of its connection for the request of a tool", async () => {
    const { key, accountId } = await gateway.newKey();
    const headers = FORGED;
    expect((await mcp.send({ key, headers, body: callOf("getOrder", { id: "ord_x" }) })).status).toBe(200);
    await eventually(async () => {
      const rows = (await gateway.requestLog()).filter((row) => row.accountId === accountId);
      expect(rows.map(({ source, path }) => [source, path])).toEqual([["127.0.0.1", "/api/v1/orders/ord_x"]]);
    });
  });

  test("cannot be moved at the public port of the API, which does not admit messages", async () => {
    const { key } = await gateway.newKey();
    const url = `http://127.0.0.1:${gateway.port}`;
    const headers = { ...FORGED, Authorization: `Bearer ${key}`, "User-Agent": "forger-public" };
    const message = await fetch(`${url}/mcp`, { method: "POST", headers });
    expect([message.status, message.headers.get("shipping-account")]).toEqual([404, null]);
    expect((await fetch(`${url}/api/v1/orders/ord_x`, { headers })).status).toBe(404);
    expect(await rowsOf("forger-public", 1)).toMatchObject([{ source: "127.0.0.1", status: 404 }]);
  });

  test("is what the MCP server says at the internal port", async () => {
    const { key } = await gateway.newKey();
    const headers = { "X-Forwarded-For": "203.0.113.9", Authorization: `Bearer ${key}`, "User-Agent": "mcp-says" };
    await fetch(`http://127.0.0.1:${gateway.internalPort}/api/v1/orders/ord_x`, { headers });
    expect(await rowsOf("mcp-says", 1)).toMatchObject([{ source: "203.0.113.9" }]);
  });
});

test("two clients whose requests have the same ID get their own answers, and neither cancels the other's", async () => {
  const keys = [await gateway.newKey(), await gateway.newKey()];
  const read = { jsonrpc: "2.0", id: 7, method: "resources/read", params: { uri: "shipping://account" } };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  const answers = await Promise.all(
    keys.flatMap(({ key }) => [mcp.send({ key, body: read }), mcp.send({ key, body: cancel })]),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 202, 200, 202]);
  const [first, , second] = await Promise.all(answers.map((answer) => answer.text()));
  for (const [text, { accountId }] of [[first, keys[0]!] as const, [second, keys[1]!] as const]) {
    expect(JSON.parse(text ?? "")).toMatchObject({ jsonrpc: "2.0", id: 7 });
    expect(text).toContain(accountId);
  }
});

test("a key that is revoked is refused with the next message of any kind", async () => {
  const { key, id } = await gateway.newKey();
  for (const body of [PING, callOf("listOrders")]) expect((await mcp.send({ key, body })).status).toBe(200);
  await gateway.revokeKey(id);
  for (const body of [callOf("listOrders"), PING, callOf("listOrders"), callOf("getOrder", { id: "../x" })])
    expect((await mcp.send({ key, body })).status).toBe(401);
});

test("a call of a tool is one request of its key, and so is any other message", async () => {
  const { key } = await gateway.newKey();
  const remainingAfter = async (body: object) => {
    const { headers } = await mcp.send({ key, body });
    return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  };
  const first = await remainingAfter(PING);
  expect(await remainingAfter(callOf("listOrders"))).toBe(first - 1);
  expect(await remainingAfter(PING)).toBe(first - 2);
});
