import { connect } from "node:net";
import { exchange, parseAnswers, received } from "@shipping/kit/testing/raw-http";
import { type GatewayUnderTest, gatewayUnderTest, order } from "../../testing/gateway-under-test.js";

let gateway: GatewayUnderTest;
let key: string;
let keys = 0;

beforeAll(async () => {
  gateway = await gatewayUnderTest();
  ({ key } = await gateway.newKey());
});
afterAll(() => gateway.end());

const json = JSON.stringify(order);

/** An order of exactly this many bytes. */
const orderOfSize = (bytes: number) => Buffer.from(json.padEnd(bytes));

function post(body: string | Buffer | undefined, headers: Record<string, string> = {}) {
  const all = { "Idempotency-Key": `key ${keys++}`, ...headers };
  return gateway.send("POST", "/orders", { key, headers: all, ...(body === undefined ? {} : { body }) });
}

/** The headers of a POST /orders, for a connection that the test writes itself. */
function head(headers: Record<string, string | number>): string {
  const all = {
    Host: "gateway",
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    "Idempotency-Key": `key ${keys++}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /api/v1/orders HTTP/1.1\r\n${lines.join("")}\r\n`;
}

const chunk = (text: string | Buffer) =>
  Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), Buffer.from(text), Buffer.from("\r\n")]);
const LAST_CHUNK = "0\r\n\r\n";
const chunked = { "Transfer-Encoding": "chunked", Connection: "close" };

describe("the type of a body", () => {
  test.each([
    ["/labels/lbl_x/void", "Send the empty object {}"],
    ["/orders", "Send a JSON object"],
  ])("%s without a body says what to send, with a type and without", async (path, advice) => {
    const postTo = (headers: Record<string, string>, body?: string) =>
      gateway.send("POST", path, {
        key,
        headers: { "Idempotency-Key": `key ${keys++}`, ...headers },
        ...(body !== undefined && { body }),
      });
    const missing = "The Content-Type header is missing.";
    const form = "application/x-www-form-urlencoded";
    for (const [sent, headers] of [
      [missing, {}],
      [missing, { "Content-Length": "0" }],
      [`The Content-Type is ${form}.`, { "Content-Type": form }],
    ] as const) {
      const { status, json } = await postTo(headers);
      expect([status, json.error.message]).toEqual([415, `${sent} ${advice} as application/json.`]);
    }
    for (const [headers, body] of [[{ "Content-Type": "application/json" }], [{}, ""], [{}, " "]] as const) {
      const { status, json } = await postTo(headers, body);
      expect([status, json.error.message]).toEqual([400, `The body is empty. ${advice}.`]);
    }
  });
});

describe("the size of a body", () => {
  test("65,536 bytes are taken, 65,537 are a 413", async () => {
    expect((await post(orderOfSize(65_536))).status).toBe(201);
    expect(await post(orderOfSize(65_537))).toMatchObject({
      status: 413,
      json: { error: { code: "payload_too_large" } },
    });
  });

  test("413 for a size that is only announced", async () => {
    const [answer] = await exchange(gateway.port, head({ "Content-Length": 10_000_000, Connection: "close" }));
    expect(answer?.status).toBe(413);
  });

  test("the same in chunks, which do not announce their size", async () => {
    const send = async (bytes: number) => {
      const body = orderOfSize(bytes);
      const parts = [chunk(body.subarray(0, 40_000)), chunk(body.subarray(40_000)), LAST_CHUNK];
      const [answer] = await exchange(gateway.port, head(chunked), ...parts);
      return answer?.status;
    };
    expect(await send(65_536)).toBe(201);
    expect(await send(65_537)).toBe(413);
  });

  test("after a 413 the connection goes on with the next request", async () => {
    const big = orderOfSize(200_000);
    const answers = await exchange(
      gateway.port,
      head({ "Transfer-Encoding": "chunked" }),
      chunk(big),
      LAST_CHUNK,
      head({ "Content-Length": json.length, Connection: "close" }),
      json,
    );
    expect(answers.map(({ status }) => status)).toEqual([413, 201]);
  });
});

describe("the arrival of a body", () => {
  test("Expect: 100-continue is answered once the body is wanted, and not if it is refused", async () => {
    const wanted = head({ "Content-Length": json.length, Expect: "100-continue", Connection: "close" });
    expect((await exchange(gateway.port, wanted, json)).map(({ status }) => status)).toEqual([100, 201]);
    const unauthorized = wanted.replace(key, "nobody");
    expect((await exchange(gateway.port, unauthorized, json)).map(({ status }) => status)).toEqual([401]);
  });

  test("HTTP/1.0 knows no 100: its body is waited for", async () => {
    const asking = head({ "Content-Length": json.length, Expect: "100-continue" }).replace("HTTP/1.1", "HTTP/1.0");
    expect((await exchange(gateway.port, asking, json)).map(({ status }) => status)).toEqual([201]);
  });

  test("a client that disconnects before its body is complete does not reserve the key", async () => {
    const idempotencyKey = `key ${keys++}`;
    const socket = connect(gateway.port, "127.0.0.1");
    const left = received(socket);
    socket.write(head({ "Idempotency-Key": idempotencyKey, "Content-Length": json.length }));
    socket.write(json.slice(0, 20), () => socket.destroy());
    expect(parseAnswers(await left)).toEqual([]);
    const again = await post(json, { "Idempotency-Key": idempotencyKey });
    expect(again.status).toBe(201);
    expect(again.headers).not.toHaveProperty("idempotency-replayed");
  });
});
