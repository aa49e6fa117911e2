import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { BASE_PATH, type Operation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { type Stack, sharedStack } from "../platform/stack.js";
import {
  type Asked,
  allOf,
  ask,
  type Customer,
  formOf,
  goodRequest,
  keptRequests,
  newCustomer,
  ofEach,
  posts,
  told,
  writes,
} from "./operations.js";
import { exchange, exchangeAndEnd, headOf, type Sending } from "./wire.js";

// One request of each kind at every operation. The rules are tested in detail beside them: `api/src/input`, `kit/src/http/http-rules`,
// `gateway/src/api/middleware/read-body`.
let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

type Change = (json: string) => Sending;

const kept = keptRequests(() => customer);

/** The answers of these operations to an otherwise good request. One that is refused has no effect, so that it can be sent again. */
const answersTo = (rows: readonly Operation[], change: Change, query = "", sender = customer, request = kept) =>
  ofEach(rows, async (route) => {
    const { method, path, body } = await request(route);
    const sending = change(body === undefined ? "" : JSON.stringify(body));
    return told(await ask(sender, { method, path: path + query, body }, sending));
  });

const answersToNew = async (rows: readonly Operation[], change: Change, query = "") => {
  const sender = await newCustomer(stack);
  return answersTo(rows, change, query, sender, (route) => goodRequest(sender, route));
};

const succeeds = (rows: readonly Operation[]) => allOf(rows, ({ status }) => String(status));

const chunk = (bytes: Buffer | string) =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")]);
const inChunks = (parts: (Buffer | string)[]): Sending => ({
  body: Buffer.concat([...parts.map(chunk), Buffer.from("0\r\n\r\n")]),
  headers: { "Transfer-Encoding": "chunked", "Content-Length": undefined },
});

const LIMIT = 65_536;
const padded = (json: string, bytes: number) => json + " ".repeat(bytes - Buffer.byteLength(json));
const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${levels % 2 ? "{}" : ""}${"]}".repeat(levels / 2)}`;
const typed =
  (type: string | string[] | undefined): Change =>
  (body) => ({ body, headers: { "Content-Type": type } });

const UNSUPPORTED = "415 unsupported_media_type";
const TOO_LARGE = "413 payload_too_large";
const NO_JSON = "400 invalid_json";
const INVALID = "422 invalid_request";

describe("every POST refuses a body", () => {
  test.each<[what: string, answer: string, change: Change]>([
    ["of another type", UNSUPPORTED, typed("text/plain")],
    ["that is compressed", UNSUPPORTED, (json) => ({ body: gzipSync(json), headers: { "Content-Encoding": "gzip" } })],
    ["of 65,537 bytes", TOO_LARGE, (json) => ({ body: padded(json, LIMIT + 1) })],
    ["whose size is only announced", TOO_LARGE, () => ({ body: "{", headers: { "Content-Length": "10000000" } })],
    ["that is empty", NO_JSON, () => ({ body: "" })],
    ["that is cut off", NO_JSON, () => ({ body: '{"reference":' })],
    ["of 33 levels", `${INVALID} body`, () => ({ body: nested(33) })],
    [
      "with an unknown member",
      `${INVALID} x`,
      (json) => ({ body: json.replace(/}$/, `${json === "{}" ? "" : ","}"x":1}`) }),
    ],
  ])("%s: %s", async (_what, answer, change) => {
    expect(await answersTo(posts, change)).toEqual(allOf(posts, answer));
  });

  test("that is shorter than its Content-Length: what is cut off is no JSON, and what is left over no request", async () => {
    for (const route of posts) expect(await liedTo(await kept(route), -1)).toEqual([400, 400]);
  });

  test("that is longer than what arrives: 400 when the client ends the connection before its body", async () => {
    for (const route of posts) expect(await liedTo(formOf(route), 5, exchangeAndEnd)).toEqual([400]);
  });

  /** The statuses on a connection with a POST whose body is announced as longer or shorter than it is. */
  async function liedTo(route: Asked, lie: number, send = exchange) {
    const body = JSON.stringify(route.body);
    const length = String(Buffer.byteLength(body) + lie);
    const headers = { "Idempotency-Key": randomUUID(), "Content-Length": length, Connection: "keep-alive" };
    const head = headOf("POST", BASE_PATH + route.path, { key: customer.key, body, headers });
    return (await send(Number(new URL(stack.baseUrl).port), head, body)).map(({ status }) => status);
  }
});

describe("every POST takes a body", () => {
  test.each<[what: string, change: Change]>([
    ["of its type with parameters", typed('Application/JSON ; ; Charset="UTF-8";')],
    ["of 65,536 bytes", (json) => ({ body: padded(json, LIMIT) })],
    ["of 65,536 bytes, streamed", (json) => inChunks([json, " ".repeat(LIMIT - Buffer.byteLength(json))])],
  ])("%s", async (_what, change) => {
    expect(await answersToNew(posts, change)).toEqual(succeeds(posts));
  });
});

test("a GET passes over its body, whatever it is", async () => {
  const gets = operations.filter(({ method }) => method === "GET");
  const sending = () => ({ body: "{", headers: { "Content-Type": "text/plain" } });
  expect(await answersTo(gets, sending)).toEqual(allOf(gets, "200"));
});

describe("DELETE takes no body", () => {
  const [route] = writes.filter(({ method }) => method === "DELETE");

  test.each([
    ["JSON", "{}", "application/json"],
    ["a body of no type", " ", undefined],
    ["100,000 bytes", "x".repeat(100_000), "application/octet-stream"],
  ])("422 with path body for %s, announced or streamed", async (_case, body, type) => {
    const asked = await goodRequest(customer, route!);
    const headers = { "Idempotency-Key": randomUUID(), "Content-Type": type };
    expect(told(await ask(customer, asked, { body, headers }))).toBe("422 invalid_request body");
    const streamed = inChunks([body]);
    const both = { ...streamed, headers: { ...headers, ...streamed.headers } };
    expect(told(await ask(customer, asked, both))).toBe("422 invalid_request body");
    expect((await customer.send("GET", asked.path)).body.data.status).toBe("active");
    expect(told(await ask(customer, asked, { headers }))).toBe("200");
  });

  test("a body of no bytes is none, whatever its type", async () => {
    const none = [{}, { "Content-Type": "text/plain" }, { "Content-Encoding": "gzip" }].map((headers) => ({
      body: "",
      headers,
    }));
    for (const sending of [...none, inChunks([])])
      expect(told(await ask(customer, await goodRequest(customer, route!), sending))).toBe("200");
  });
});

describe("every operation refuses a query", () => {
  const asBefore: Change = (body) => (body === "" ? {} : { body });

  test.each([
    ["x", "?x=1"],
    ["query", "?x=%zz"],
    ["query", `?${"x".repeat(8_001)}`],
  ])("422 naming %s", async (named, query) => {
    expect(await answersTo(operations, asBefore, query)).toEqual(allOf(operations, `422 invalid_request ${named}`));
  });

  test("but takes one without parameters", async () => {
    expect(await answersToNew(operations, asBefore, "?&&")).toEqual(succeeds(operations));
  });
});

test("every operation that refused a request here succeeds with the request as it should be", async () => {
  expect(await answersTo(operations, (body) => (body === "" ? {} : { body }))).toEqual(succeeds(operations));
});
