import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { loggedRequests } from "@shipping/gateway/testing/stored-requests";
import { eventually } from "@shipping/kit/testing/eventually";
import { type Stack, startStack } from "../platform/stack.js";
import { connectAgent, textIn } from "./agent.js";
import { playCorridor, shipmentFor } from "./corridor.js";

let stack: Stack;
let url: URL;
beforeAll(async () => {
  stack = await startStack({ mcp: "all", trustedProxies: 1, requestsPerMinute: 40 });
  url = new URL("/mcp", stack.baseUrl);
});
afterAll(() => stack.stop());

const agentWith = (key: string, headers: Record<string, string> = {}) => {
  const requestInit = { headers: { Authorization: `Bearer ${key}`, ...headers } };
  return connectAgent(new StreamableHTTPClientTransport(url, { requestInit }));
};

describe("POST /mcp", () => {
  test("serves the tools, whose requests are those of the key and of the client", async () => {
    const { accountId, sandbox } = await stack.newCustomer();
    const agent = await agentWith(sandbox, { "X-Forwarded-For": "203.0.113.7" });
    await playCorridor(agent, "through the gateway");
    const again = await agent.call("createShipment", shipmentFor("through the gateway"));
    expect(textIn(again)).toContain("nothing was done again");
    await agent.close();
    const sources = await eventually(async () => {
      const rows = await loggedRequests(stack.databases.gateway, { accountId, path: "/api/v1/labels" });
      if (rows.length === 0) throw new Error("The request is not in the log yet.");
      return rows.map(({ source }) => source);
    });
    expect(sources).toEqual(["203.0.113.7"]);
  });

  test("401 for a key that is missing, malformed or revoked", async () => {
    for (const key of ["", "service_test_x"]) await expect(agentWith(key)).rejects.toMatchObject({ status: 401 });
    const { id, key } = await stack.newKey(await stack.newAccount());
    const agent = await agentWith(key);
    await stack.revokeKey(id);
    await expect(agent.call("getAccount")).rejects.toMatchObject({ status: 401 });
    await agent.close();
  });

  test("a key has its limit of requests, and its tools say when it is used up", async () => {
    const { sandbox } = await stack.newCustomer();
    const agent = await agentWith(sandbox);
    const calls = Array.from({ length: 60 }, (_, n) => agent.call("listOrders", { limit: n + 1 }));
    const results = await Promise.allSettled(calls);
    expect(
      results.map((one) => JSON.stringify(one.status === "fulfilled" ? one.value : String(one.reason))).join(),
    ).toContain("rate_limited");
    await agent.close();
  });

  test("live keys do not write", async () => {
    const agent = await agentWith((await stack.newCustomer()).live);
    expect(await agent.refusalOf("createOrder", shipmentFor("live"))).toContain("only writes with sandbox keys");
    await agent.close();
  });
});
