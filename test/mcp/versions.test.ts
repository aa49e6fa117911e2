import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { type GatewayUnderTest, gatewayUnderTest } from "@shipping/gateway/testing/gateway-under-test";
import { callOf, type McpUnderTest, mcpUnderTest, PING } from "./mcp-under-test.js";

let gateway: GatewayUnderTest;
let mcp: McpUnderTest;
let key: string;
beforeAll(async () => {
  gateway = await gatewayUnderTest();
  mcp = await mcpUnderTest([gateway.internalPort]);
  key = (await gateway.newKey()).key;
});
afterAll(async () => {
  await mcp.end();
  await gateway.end();
});

type Result = Record<string, unknown>;
type Call = [method: string, params?: object];

const requestOf = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

/** The methods that a client may send for each capability, with parameters that are right. Those of `subscribe` and `listChanged` need these flags. */
const METHODS: Record<string, Call[]> = {
  tools: [["tools/list"], ["tools/call", { name: "getAccount" }]],
  resources: [["resources/list"], ["resources/templates/list"], ["resources/read", { uri: "shipping://account" }]],
  prompts: [["prompts/list"], ["prompts/get", { name: "integrate-webhooks", arguments: { framework: "Rails" } }]],
  completions: [["completion/complete"]],
  logging: [["logging/setLevel", { level: "error" }]],
};

/** Connects as a client of a version does, and returns the capabilities of the server and a function that sends a body. */
async function connect(version: string) {
  const send = async (body: object) => {
    // The header came with 2025-06-18.
    const headers = version >= "2025-06-18" ? { "MCP-Protocol-Version": version } : {};
    const answer = await mcp.send({ key, headers, body });
    return { status: answer.status, json: await answer.json().catch(() => undefined) };
  };
  const client = { protocolVersion: version, capabilities: {}, clientInfo: { name: "a", version: "1" } };
  const { json } = await send(requestOf("initialize", client));
  const { result } = json as { result: { protocolVersion: string; capabilities: Record<string, object> } };
  expect(result.protocolVersion).toBe(version);
  return { capabilities: result.capabilities, send };
}

describe.each(SUPPORTED_PROTOCOL_VERSIONS)("version %s", (version) => {
  test("answers every method of each capability that it advertises", async () => {
    const { capabilities, send } = await connect(version);
    expect(Object.values(capabilities)).toEqual([{}, {}, {}]);
    const methods = Object.keys(capabilities).flatMap(
      (name): Call[] => METHODS[name] ?? [[`of ${name}, unknown here`]],
    );
    for (const [method, params] of [["ping"], ...methods] satisfies Call[]) {
      const { status, json } = await send(requestOf(method, params));
      expect([method, status, json]).toMatchObject([method, 200, { id: 1, result: expect.any(Object) }]);
    }
  });

  test(version >= "2025-06-18" ? "has no batches" : "answers a batch, a list of what has an ID", async () => {
    const { send } = await connect(version);
    const batch = [
      requestOf("ping", {}, "a"),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      callOf("getAccount", {}, 2),
      requestOf("resources/templates/list", {}, 3),
      callOf("dropTables", {}, 4),
    ];
    const { status, json } = await send(batch);
    if (version >= "2025-06-18") return expect(status).toBe(422);
    expect([status, json]).toMatchObject([
      200,
      [
        { id: "a", result: {} },
        { id: 2, result: { structuredContent: { data: { object: "account" } } } },
        { id: 3, result: { resourceTemplates: [{}] } },
        { id: 4, error: { code: -32_602 } },
      ],
    ]);
    const silent = await send([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
    expect(silent).toEqual({ status: 202, json: undefined });
  });
});

test("each message of a batch counts as one request of its key", async () => {
  const own = (await gateway.newKey()).key;
  const remaining = async (body: object) => {
    const { headers } = await mcp.send({ key: own, body });
    return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  };
  const first = await remaining(PING);
  await (await mcp.send({ key: own, body: [PING, callOf("listOrders"), PING] })).text();
  expect(await remaining(PING)).toBe(first - 4);
});

test("a batch whose key is revoked is refused", async () => {
  const own = await gateway.newKey();
  expect((await mcp.send({ key: own.key, body: [PING, callOf("listOrders")] })).status).toBe(200);
  await gateway.revokeKey(own.id);
  for (const body of [
    [PING, callOf("listOrders")],
    [callOf("listOrders"), PING],
  ])
    expect((await mcp.send({ key: own.key, body })).status).toBe(401);
});

test("/mcp/ is /mcp", async () => {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const answer = await fetch(`${mcp.url}/`, { method: "POST", headers, body: JSON.stringify(PING) });
  expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
});

describe("a host that looks for a sign-in", () => {
  const register = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ redirect_uris: ["http://localhost:3334/oauth/callback"] });
    const url = mcp.url.replace("/mcp", "/register");
    const answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
    });
    return [answer.status, (await answer.json()) as Result] as const;
  };

  test.each(["service_test_wrong", `service_test_${"a".repeat(38)}`, ""])(
    "gets the sentence of the refused message at /register, with the key %p",
    async (wrong) => {
      const refused = await mcp.send({ key: wrong, body: PING });
      expect(refused.status).toBe(401);
      const { error } = (await refused.json()) as { error: { message: string } };
      const expected = { error: "access_denied", error_description: error.message };
      expect(await register(wrong === "" ? {} : { Authorization: `Bearer ${wrong}` })).toEqual([401, expected]);
    },
  );

  test("gets told that there is none, if its key is right", async () => {
    const [status, { error_description }] = await register({ Authorization: `Bearer ${key}` });
    expect([status, error_description]).toEqual([400, expect.stringContaining("There is no sign-in.")]);
  });
});
