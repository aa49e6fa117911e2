import { createServer, type Server } from "node:net";
import { gatewayUnderTest } from "@shipping/gateway/testing/gateway-under-test";
import { callOf, mcpUnderTest, PING } from "./mcp-under-test.js";

/** A port that refuses connections. */
async function closedPort(): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("without a gateway, a message gets 503 with an error object, and a tool of a known key says that the call may be repeated", async () => {
  const gateway = await gatewayUnderTest();
  const { key } = await gateway.newKey();
  const mcp = await mcpUnderTest([gateway.internalPort]);
  expect((await mcp.send({ key, body: PING })).status).toBe(200);
  await gateway.end();
  const answer = await mcp.send({ key, body: PING });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  const message = expect.any(String);
  const data = { code: "service_unavailable", message, request_id: answer.headers.get("x-request-id") };
  expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: null, error: { code: -32_000, message, data } });
  const call = await mcp.send({ key, body: callOf("listOrders") });
  expect(call.status).toBe(200);
  expect(await call.json()).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringMatching(/^No answer from the API .*the same request/) }] },
  });
  // A message that no gateway would accept is refused without one.
  expect((await fetch(mcp.url, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(405);
  await mcp.end();
});

test("with one gateway of two, each message and call is answered", async () => {
  const gateway = await gatewayUnderTest();
  const { key } = await gateway.newKey();
  const mcp = await mcpUnderTest([await closedPort(), gateway.internalPort]);
  for (const body of [PING, callOf("listOrders"), PING, callOf("listOrders"), callOf("listOrders")]) {
    const answer = await mcp.send({ key, body });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { result: { isError?: boolean } }).result.isError).toBeUndefined();
  }
  await mcp.end();
  await gateway.end();
});
