import type { RawAnswer } from "@shipping/kit/testing/raw-http";
import { refusal } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Customer, newCustomer, record } from "./operations.js";
import { answerOf, exchange, exchangeAndEnd, headOf } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
});
// The gateway continues to answer after each malformed request.
afterEach(async () => {
  expect((await customer.send("GET", "/account")).status).toBe(200);
});
afterAll(() => stack.stop());

/** The responses on a connection, a line each; every error is the error object, in JSON. */
function said(answers: readonly RawAnswer[]): string[] {
  return answers.map((answer) => {
    expect(answer.headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^req_/),
      date: expect.stringMatching(/ GMT$/),
    });
    return answer.status < 400 ? String(answer.status) : refusal(answerOf(answer));
  });
}

/** A GET that is valid except for these lines in its head. */
const get = (lines: string, target = "/api/v1/account") =>
  Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n\r\n`, "latin1");

const order = JSON.stringify(record);

/** A POST of an order that is valid except for these lines in its head, and the bytes after it. */
const post = (lines: string, body = order) =>
  Buffer.from(
    `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${customer.key}\r\n` +
      `Content-Type: application/json\r\nIdempotency-Key: k\r\n${lines}\r\n\r\n${body}`,
  );

const BAD = ["400 bad_request"];

// `gateway/src/listen.test.ts` tests the refusals of Node's parser, and those of `kit/src/http/http-rules`.
describe("what is not HTTP", () => {
  test.each<[what: string, refused: string, bytes: () => string | Buffer]>([
    ["the start of TLS", "400 bad_request", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["the preface of HTTP/2", "400 bad_request", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a NUL in the path", "400 bad_request", () => get("X-A: a", "/api/v1/orders/a\0b")],
    ["a carriage return alone in a value", "400 bad_request", () => get("X-A: a\rb")],
    ["a second Host", "400 bad_request", () => get("Host: x")],
    ["a long path", "431 bad_request", () => get("X-A: a", `/api/v1/orders/${"a".repeat(17_000)}`)],
    ["a value without an end", "431 bad_request", () => `GET / HTTP/1.1\r\nX-A: ${"a".repeat(200_000)}`],
  ])("%s: %s", async (_what, refused, bytes) => {
    expect(said(await exchange(port, Buffer.from(bytes() as string, "latin1")))).toEqual([refused]);
  });

  test("bytes beyond ASCII in a value are no fault, nor are 15 KiB", async () => {
    for (const value of ["\xe9\xff\x80", "a".repeat(15_000)])
      expect(said(await exchange(port, get(`X-A: ${value}`)))).toEqual(["401 unauthorized"]);
  });

  test("a thousand headers in front of a key are too many, although they are short; 996 hide no key", async () => {
    const many = (count: number) => get(`${"a:\r\n".repeat(count)}Authorization: Bearer ${customer.key}`);
    expect(said(await exchange(port, many(1_000)))).toEqual(["431 bad_request"]);
    expect(said(await exchange(port, many(996)))).toEqual(["200"]);
  });
});

describe("where a body ends", () => {
  test.each([
    ["Content-Length and Transfer-Encoding", "Content-Length: 5\r\nTransfer-Encoding: chunked"],
    ["two lengths", "Content-Length: 5\r\nContent-Length: 6"],
    ["a negative length", "Content-Length: -5"],
    ["a length beyond every number", `Content-Length: ${"9".repeat(40)}`],
    ["an encoding after chunked", "Transfer-Encoding: chunked, gzip"],
    ["an encoding that only looks like chunked", "Transfer-Encoding: xchunked"],
  ])("400 bad_request for %s, and nothing is created", async (_case, lines) => {
    const statuses = said(await exchange(port, post(lines)));
    expect(statuses).toEqual(BAD);
    expect((await customer.send<unknown[]>("GET", "/orders")).body.data).toEqual([]);
  });

  test.each([
    ["no size", "\r\n{}\r\n0\r\n\r\n"],
    ["a size beyond every number", `${"f".repeat(40)}\r\n{}\r\n0\r\n\r\n`],
    ["an extension without an end", `2;${"a".repeat(100_000)}\r\n{}`],
    ["a trailer that is no header", "2\r\n{}\r\n0\r\nno header\r\n\r\n"],
  ])("400 bad_request for a chunk with %s", async (_case, chunks) => {
    const statuses = said(await exchange(port, post("Transfer-Encoding: chunked", chunks)));
    expect(["400 bad_request", "413 payload_too_large"]).toContain(statuses[0]);
    expect(statuses).toHaveLength(1);
  });

  test("bytes after a refused request on its connection are not executed", async () => {
    const smuggled = post(
      "Content-Length: 5\r\nTransfer-Encoding: chunked",
      `0\r\n\r\n${post(`Content-Length: ${Buffer.byteLength(order)}`)}`,
    );
    expect(said(await exchange(port, smuggled))).toEqual(BAD);
    expect((await customer.send<unknown[]>("GET", "/orders")).body.data).toEqual([]);
  });

  test("a request behind a body that was refused unread is answered too", async () => {
    const open = {
      key: customer.key,
      headers: { Connection: "keep-alive", "Content-Type": "text/plain" },
      body: order,
    };
    const refused = headOf("POST", "/api/v1/orders", open);
    const next = headOf("GET", "/api/v1/account", { key: customer.key });
    expect(said(await exchange(port, refused, order, next))).toEqual(["422 invalid_request Idempotency-Key", "200"]);
  });
});

describe("a client that leaves", () => {
  test.each([
    ["before its first byte", () => ""],
    ["in its headers", () => "GET /api/v1/account HTTP/1.1\r\nHost: x\r\n"],
    ["in its body", () => post(`Content-Length: ${order.length + 500}`)],
    ["in a chunk", () => post("Transfer-Encoding: chunked", "ff\r\n{")],
  ])("%s gets a 400 or nothing, and nothing is created", async (_case, bytes) => {
    for (const answer of said(await exchangeAndEnd(port, bytes()))) expect(answer).toBe("400 bad_request");
    expect((await customer.send<unknown[]>("GET", "/orders")).body.data).toEqual([]);
  });

  test("after its request has it executed once, whether or not the answer still reaches it", async () => {
    const request = post(`Content-Length: ${Buffer.byteLength(order)}`);
    expect([[], ["201"]]).toContainEqual(said(await exchangeAndEnd(port, request)));
    expect(said(await exchange(port, request))).toEqual(["201"]);
    expect((await customer.send<unknown[]>("GET", "/orders")).body.data).toHaveLength(1);
  });
});
