import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { openApiText } from "@shipping/api/openapi/open-api-text";
import { answerToolMessage, readToolMessage } from "shipping-mcp/answer-tool-call";
import type { Access } from "shipping-mcp/call-tool";
import { createShippingServer } from "shipping-mcp/server";
import { readTools } from "shipping-mcp/tools";

const tools = readTools(JSON.parse(openApiText()));

/** Access to an API that answers each request with this body. */
const accessTo = (body: string, headers: Record<string, string> = {}, status = 200): Access => ({
  baseUrl: "http://127.0.0.1:8080/api/v1",
  apiKey: "service_test_x",
  allowLive: false,
  attempts: 1,
  fetch: async () => new Response(body, { status, headers: { "content-type": "application/json", ...headers } }),
});

const callOf = (name: string, args: object = {}, id: string | number = 1): JSONRPCMessage => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: { ...args } },
});

async function fromServer(access: Access, message: JSONRPCMessage): Promise<unknown> {
  const [client, transport] = InMemoryTransport.createLinkedPair();
  const server = createShippingServer({ tools, readOnly: false, accessOf: () => access, readDocument: async () => "" });
  await server.connect(transport);
  const answered = new Promise((resolve) => {
    client.onmessage = resolve;
  });
  await client.send(message);
  return answered.finally(() => server.close());
}

async function answerToolCall(access: Access, message: JSONRPCMessage): Promise<Uint8Array[] | undefined> {
  const call = readToolMessage(access, tools, message);
  return call && answerToolMessage(access, call);
}

const objectOf = (text: string) => JSON.stringify({ data: { text }, next_cursor: null });

test.each([
  ["an object", callOf("getAccount"), accessTo(objectOf("plain"))],
  ["quotes, backslashes and control characters", callOf("getAccount"), accessTo(objectOf('"\\\n\u0000\u2028'))],
  ["characters across the borders of pieces", callOf("getAccount"), accessTo(objectOf("a€😀".repeat(20_000)))],
  ["an object with blanks", callOf("getAccount"), accessTo('{ "data" : [ ] ,\n"next_cursor": null }')],
  ["a replay", callOf("createOrder", {}, "id"), accessTo(objectOf("again"), { "idempotency-replayed": "true" })],
  [
    "a PDF",
    callOf("getLabelFile", { id: "lbl_1" }),
    accessTo("%PDF-1.3\n%%EOF", { "content-type": "application/pdf" }),
  ],
  ["a refusal", callOf("getOrder", { id: "../x" }), accessTo("{}")],
  ["half of an object", callOf("getAccount"), accessTo('{"data":')],
])("%s is the response of the SDK's server", async (_, message, access) => {
  const body = await answerToolCall(access, message);
  expect(JSON.parse(String(Buffer.concat(body ?? [])))).toEqual(await fromServer(access, message));
});

test.each<[string, JSONRPCMessage]>([
  ["another method", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
  ["an unknown tool", callOf("dropTables")],
  ["a call without a name", { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }],
  ["a notification", { jsonrpc: "2.0", method: "tools/call", params: { name: "getAccount" } }],
])("%s is left to the server, and sends nothing", async (_, message) => {
  const fetch = jest.fn();
  expect(await answerToolCall({ ...accessTo("{}"), fetch }, message)).toBeUndefined();
  expect(fetch).not.toHaveBeenCalled();
});
