import type { RawAnswer } from "@shipping/gateway/testing/raw-http";
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

describe("400 bad_request at once, for what is not HTTP", () => {
  test.each([
    ["no request line", "hello\r\n\r\n"],
    ["a method in small letters", "get / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["the start of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["a PROXY header", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["the version of HTTP/2", "GET /api/v1/account HTTP/2.0\r\nHost: x\r\n\r\n"],
    ["a NUL in the path", "GET /api/v1/orders/a\0b HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("%s", async (_case, bytes) => {
    expect(said(await exchange(port, Buffer.from(bytes, "latin1")))).toEqual(BAD);
  });
});

describe("400 bad_request for headers", () => {
  test.each([
    ["a NUL in a value", "X-A: a\0b"],
    ["a carriage return alone in a value", "X-A: a\rb"],
    ["no colon", "X-A"],
    ["a space before the colon", "X-A : a"],
    ["a NUL in the Idempotency-Key", "Idempotency-Key: a\0b"],
    ["a second Host", "Host: x"],
  ])("%s", async (_case, line) => {
    expect(said(await exchange(port, get(line)))).toEqual(BAD);
  });

  test("bytes beyond ASCII in a value are no fault", async () => {
    expect(said(await exchange(port, get("X-A: \xe9\xff\x80")))).toEqual(["401 unauthorized"]);
  });
});

describe("431 bad_request for headers over 16 KiB", () => {
  const TOO_LARGE = ["431 bad_request"];

  test.each([
    ["one long value", () => get(`X-A: ${"a".repeat(17_000)}`)],
    [
      "a thousand small ones",
      () => get(Array.from({ length: 1_000 }, (_, n) => `X-A-${n}: ${"a".repeat(20)}`).join("\r\n")),
    ],
    ["a long path", () => get("X-A: a", `/api/v1/orders/${"a".repeat(17_000)}`)],
    ["a value without an end", () => `GET / HTTP/1.1\r\nX-A: ${"a".repeat(200_000)}`],
  ])("%s", async (_case, bytes) => {
    expect(said(await exchange(port, bytes()))).toEqual(TOO_LARGE);
  });

  test("15 KiB are taken", async () => {
    expect(said(await exchange(port, get(`X-A: ${"a".repeat(15_000)}`)))).toEqual(["401 unauthorized"]);
  });

  test("431 for a thousand in front of a key, although they are short; 996 hide no key", async () => {
    const many = (count: number) => get(`${"a:\r\n".repeat(count)}Authorization: Bearer ${customer.key}`);
    expect(said(await exchange(port, many(1_000)))).toEqual(TOO_LARGE);
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
