import { loggedRequests } from "@shipping/gateway/testing/stored-requests";
import { eventually } from "@shipping/kit/testing/eventually";
import { exchange, headOf, type Sending } from "../edge/wire.js";
import { type Stack, startStack } from "../platform/stack.js";

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

let stack: Stack;
let port: number;
let key: string;
beforeAll(async () => {
  stack = await startStack({ mcp: "all", requestsPerMinute: 60 });
  port = Number(new URL(stack.baseUrl).port);
  key = (await stack.newCustomer()).sandbox;
});
afterAll(() => stack.stop());

/** Sends a message unchanged, with the key unless another one is given. */
async function send(method: string, sending: Sending, version = "1.1") {
  const head = headOf(method, "/mcp", { key, ...sending }).replace("HTTP/1.1", `HTTP/${version}`);
  const [answer] = await exchange(port, head, sending.body ?? "");
  return { ...answer, json: JSON.parse(answer?.body ?? "") };
}

/** The request log's row about a request, once it is written. */
const rowOf = (requestId: string) =>
  eventually(async () => {
    const [row] = await loggedRequests(stack.databases.gateway, { requestId });
    if (!row) throw new Error(`${requestId} is not in the log yet.`);
    return row;
  });

const VERSION = { "MCP-Protocol-Version": "1999-01-01" };
const LATEST = { "MCP-Protocol-Version": "2025-11-25" };

test.each<[string, number, string, string, Sending]>([
  ["without a key", 401, "unauthorized", "POST", { body: LIST, headers: { Authorization: undefined } }],
  ["of another type", 415, "unsupported_media_type", "POST", { body: LIST, headers: { "Content-Type": "text/plain" } }],
  ["that is too large", 413, "payload_too_large", "POST", { body: JSON.stringify("x".repeat(65_536)) }],
  ["that is no JSON", 400, "invalid_json", "POST", { body: "{" }],
  ["that is a batch of a version without them", 422, "invalid_request", "POST", { body: `[${LIST}]`, headers: LATEST }],
  ["that is an empty batch", 422, "invalid_request", "POST", { body: "[]" }],
  ["that is too large a batch", 422, "invalid_request", "POST", { body: `[${Array(11).fill(LIST)}]` }],
  ["that is a batch with no JSON-RPC", 422, "invalid_request", "POST", { body: `[${LIST},{}]` }],
  ["that is no JSON-RPC", 422, "invalid_request", "POST", { body: "{}" }],
  ["that is null", 422, "invalid_request", "POST", { body: "null" }],
  ["of an unknown version", 400, "bad_request", "POST", { body: LIST, headers: VERSION }],
  ["with two hosts", 400, "bad_request", "POST", { body: LIST, headers: { Host: ["a", "b"] } }],
  ["for a stream", 405, "bad_request", "GET", {}],
  ["for a stream, as a page", 405, "bad_request", "GET", { headers: { Accept: "text/html" } }],
  ["to end a session", 405, "bad_request", "DELETE", {}],
])("a message %s is refused with %i %s, as the API does, and is in the request log", async (...row) => {
  const [, status, code, method, sending] = row;
  const { json, headers, ...answer } = await send(method, sending);
  const message = expect.stringMatching(/\.$|^body(\.\d+)?: /);
  // An error of JSON-RPC, whose message hosts show.
  expect(json).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } });
  const error = json.error.data;
  expect(error).toMatchObject({ code, message: json.error.message, request_id: headers?.["x-request-id"] });
  expect(answer.status).toBe(status);
  expect(headers?.allow).toBe(status === 405 ? "POST" : undefined);
  expect(await rowOf(error.request_id)).toMatchObject({ method, path: "/mcp", status, code });
});

test("a message with its key in another header is told where the key belongs", async () => {
  const { json, ...answer } = await send("POST", {
    body: LIST,
    headers: { Authorization: undefined, "X-Api-Key": key },
  });
  expect([answer.status, json.error.message]).toEqual([
    401,
    "Send the API key as Authorization: Bearer <key>, not in the header x-api-key.",
  ]);
});

test("so is a message over the limit of its key", async () => {
  const limited = (await stack.newCustomer()).sandbox;
  const statuses: number[] = [];
  for (let n = 0; n < 61; n++) statuses.push((await send("POST", { key: limited, body: LIST })).status ?? 0);
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(200));
  const { json } = await send("POST", { key: limited, body: LIST });
  expect(json.error.data.code).toBe("rate_limited");
  expect(await rowOf(json.error.data.request_id)).toMatchObject({ path: "/mcp", status: 429 });
});

test.each<[string, NonNullable<Sending["headers"]>, string]>([
  ["with an empty Host", { Host: "" }, "1.1"],
  ["of HTTP/1.0, without a Host", { Host: undefined }, "1.0"],
  ["that accepts nothing in particular", { Accept: undefined }, "1.1"],
  ["that accepts only JSON", { Accept: "application/json" }, "1.1"],
  ["that accepts everything", { Accept: "*/*" }, "1.1"],
  ["of the latest version", LATEST, "1.1"],
])("a message %s is answered, and is not in the request log", async (_, headers, version) => {
  const answer = await send("POST", { body: LIST, headers }, version);
  expect([answer.status, answer.json.result?.tools.length]).toEqual([200, 18]);
  expect(answer.headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
  // Rows are written in their order.
  const { json } = await send("POST", { body: "{" });
  await rowOf(json.error.data.request_id);
  const requestId = String(answer.headers?.["x-request-id"]);
  expect(await loggedRequests(stack.databases.gateway, { requestId })).toEqual([]);
});

test("a client that accepts only an event stream gets one, with the answer as its only event", async () => {
  const [answer] = await exchange(
    port,
    headOf("POST", "/mcp", { key, body: LIST, headers: { Accept: "text/event-stream" } }),
    LIST,
  );
  expect([answer?.status, answer?.headers["content-type"]]).toEqual([200, "text/event-stream"]);
  const [, json = ""] = /^event: message\ndata: (.*)\n\n$/.exec(answer?.body ?? "") ?? [];
  expect(JSON.parse(json).result.tools).toHaveLength(18);
});

test("HEAD is refused as GET is, and any other method as that of any path", async () => {
  const [head] = await exchange(port, headOf("HEAD", "/mcp", { key }), "");
  expect([head?.status, head?.headers.allow, head?.body]).toEqual([405, "POST", ""]);
  const requests = ["/mcp", "/register"].flatMap((path) =>
    ["PUT", "PATCH", "OPTIONS"].map((method) => ({ method, path })),
  );
  for (const own of [key, undefined])
    for (const { method, path } of requests) {
      const [answer] = await exchange(port, headOf(method, path, own === undefined ? {} : { key: own }), "");
      expect([answer?.status, answer?.headers.allow]).toEqual([404, "POST"]);
      expect(answer?.body).toContain(`"message":"No such route: ${method} ${path}. Allowed: POST."`);
    }
});

test("a notification, and an answer to nothing, are accepted without an answer", async () => {
  for (const message of [{ method: "notifications/initialized" }, { id: 1, result: {} }]) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const [answer] = await exchange(port, headOf("POST", "/mcp", { key, body }), body);
    expect([answer?.status, answer?.body]).toEqual([202, ""]);
  }
});

test("an invalid request gets an error of the protocol", async () => {
  const nothing = JSON.stringify({ jsonrpc: "2.0", id: "a", method: "tools/none" });
  const { status, json } = await send("POST", { body: nothing });
  expect([status, json]).toMatchObject([200, { jsonrpc: "2.0", id: "a", error: { code: -32_601 } }]);
});
