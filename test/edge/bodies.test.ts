import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { BASE_PATH } from "@shipping/gateway/api/endpoint";
import { routes } from "@shipping/gateway/api/endpoints/endpoints";
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
} from "./operations.js";
import { exchange, exchangeAndEnd, headOf, type Sending } from "./wire.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

const port = () => Number(new URL(stack.baseUrl).port);
const succeeds = allOf(posts, ({ status }) => String(status));

const kept = keptRequests(() => customer);

/** The responses of every POST to a valid request that is sent like this. */
const answers = (sender: Customer, request: typeof kept, change: (json: string) => Sending) =>
  ofEach(posts, async (route) => {
    const asked = await request(route);
    return told(await ask(sender, asked, change(JSON.stringify(asked.body))));
  });

/** A refused request has no effect, so that it can be sent again. */
const answersTo = (change: (json: string) => Sending) => answers(customer, kept, change);

const answersToNew = async (change: (json: string) => Sending) => {
  const sender = await newCustomer(stack);
  return answers(sender, (route) => goodRequest(sender, route), change);
};

const chunk = (bytes: Buffer | string) =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")]);
const chunked = { "Transfer-Encoding": "chunked", "Content-Length": undefined };
const inChunks = (parts: (Buffer | string)[]) => Buffer.concat([...parts.map(chunk), Buffer.from("0\r\n\r\n")]);

describe("the type of every POST's body", () => {
  test.each([
    "text/plain",
    "text/json",
    "application/vnd.api+json",
    "application/ld+json",
    "application/jsonp",
    "application/json5",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "application/json; charset='utf-8'",
    'application/json; charset="utf-8',
    "application/json; charset=utf-8; charset=utf-8",
    "application/json; boundary=x",
    "application/json; ;charset=latin1",
    "application/json; charset=utf-8;; charset=utf-8",
    "application/json;\u00a0",
    "application/json, application/json",
    "application /json",
    "*/*",
    "json",
    "",
  ])("415 for %j", async (type) => {
    const answers = await answersTo((body) => ({ body, headers: { "Content-Type": type } }));
    expect(answers).toEqual(allOf(posts, "415 unsupported_media_type"));
  });

  test("415 without any, whether or not there is a body", async () => {
    const headers = { "Content-Type": undefined };
    for (const body of [undefined, ""]) {
      const answers = await answersTo((json) => ({ body: body ?? json, headers }));
      expect(answers).toEqual(allOf(posts, "415 unsupported_media_type"));
    }
  });

  test.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    "application/json; charset=utf8",
    'application/json; charset="UTF8"',
    "application/json; charset=UTF-8",
    'application/json; charset="utf-8"',
    'application/json; charset="UTF-8"',
    "application/json ; Charset=Utf-8",
    "application/json\t;\tcharset=utf-8",
    "application/json;",
    "application/json ; ; \t;",
    "application/json;;charset=utf-8; ;",
  ])("%j is taken", async (type) => {
    expect(await answersToNew((body) => ({ body, headers: { "Content-Type": type } }))).toEqual(succeeds);
  });

  test.each(["gzip", "GZIP", "deflate", "br", "zstd", "gzip, identity", "x-unknown"])(
    "415 when it is compressed with %s",
    async (encoding) => {
      const headers = { "Content-Encoding": encoding };
      for (const write of [(json: string) => gzipSync(json), (json: string) => json]) {
        const answers = await answersTo((json) => ({ body: write(json), headers }));
        expect(answers).toEqual(allOf(posts, "415 unsupported_media_type"));
      }
    },
  );

  test("compressed bytes without a Content-Encoding are no JSON", async () => {
    expect(await answersTo((json) => ({ body: gzipSync(json) }))).toEqual(allOf(posts, "400 invalid_json"));
  });

  test("415 when it is sent twice, although both are right", async () => {
    const headers = { "Content-Type": ["application/json", "application/json"] };
    expect(await answersTo((body) => ({ body, headers }))).toEqual(allOf(posts, "415 unsupported_media_type"));
  });

  test.each(["gzip, chunked", "gzip,chunked", "identity, chunked", ", chunked"])(
    "415 for the transfer coding %j",
    async (coding) => {
      const headers = { ...chunked, "Transfer-Encoding": coding };
      const answers = await answersTo((json) => ({ body: inChunks([json]), headers }));
      expect(answers).toEqual(allOf(posts, "415 unsupported_media_type"));
    },
  );

  test("is not looked at on a GET, whose body is passed over", async () => {
    const gets = routes.filter(({ method }) => method === "GET");
    const sending = { body: "{", headers: { "Content-Type": "text/plain" } };
    const answers = await ofEach(gets, async (route) =>
      told(await ask(customer, await goodRequest(customer, route), sending)),
    );
    expect(answers).toEqual(allOf(gets, "200"));
  });
});

describe("the size of every POST's body", () => {
  const LIMIT = 65_536;
  const padded = (json: string, bytes: number) => json + " ".repeat(bytes - Buffer.byteLength(json));
  const tooLarge = allOf(posts, "413 payload_too_large");

  test("65,536 bytes are taken, declared or streamed", async () => {
    expect(await answersToNew((json) => ({ body: padded(json, LIMIT) }))).toEqual(succeeds);
    const body = (json: string) => inChunks([json, " ".repeat(LIMIT - Buffer.byteLength(json))]);
    expect(await answersToNew((json) => ({ body: body(json), headers: chunked }))).toEqual(succeeds);
  });

  test("413 for 65,537 bytes, declared or streamed", async () => {
    expect(await answersTo((json) => ({ body: padded(json, LIMIT + 1) }))).toEqual(tooLarge);
    const body = (json: string) => inChunks([json, " ".repeat(LIMIT + 1 - Buffer.byteLength(json))]);
    expect(await answersTo((json) => ({ body: body(json), headers: chunked }))).toEqual(tooLarge);
  });

  test("bytes are counted, not characters: 32,769 times é is too large", async () => {
    expect(await answersTo(() => ({ body: JSON.stringify("é".repeat(32_767)) }))).toEqual(
      allOf(posts, "422 invalid_request body"),
    );
    expect(await answersTo(() => ({ body: JSON.stringify("é".repeat(32_768)) }))).toEqual(tooLarge);
  });

  test("413 for a megabyte in small chunks, and for ten that are only announced", async () => {
    const body = inChunks(Array.from({ length: 1_024 }, () => " ".repeat(1_024)));
    expect(await answersTo(() => ({ body, headers: chunked }))).toEqual(tooLarge);
    expect(await answersTo(() => ({ body: "{", headers: { "Content-Length": "10000000" } }))).toEqual(tooLarge);
  });

  test("413 before the JSON is looked at, 415 before the size", async () => {
    expect(await answersTo(() => ({ body: padded("{", LIMIT + 1) }))).toEqual(tooLarge);
    const headers = { "Content-Type": "text/plain" };
    const answers = await answersTo((json) => ({ body: padded(json, LIMIT + 1), headers }));
    expect(answers).toEqual(allOf(posts, "415 unsupported_media_type"));
  });

  test("one byte per chunk is taken", async () => {
    const body = (json: string) => inChunks([...Buffer.from(json)].map((byte) => Buffer.from([byte])));
    expect(await answersToNew((json) => ({ body: body(json), headers: chunked }))).toEqual(succeeds);
  });
});

describe("a Content-Length that lies", () => {
  /** The statuses on a connection with a POST whose body is announced as longer or shorter than it is. */
  const statuses = async (route: Asked, lie: number, send = exchange) => {
    const body = JSON.stringify(route.body);
    const headers = {
      "Idempotency-Key": randomUUID(),
      "Content-Length": String(Buffer.byteLength(body) + lie),
      Connection: "keep-alive",
    };
    const head = headOf("POST", BASE_PATH + route.path, { key: customer.key, body, headers });
    return (await send(port(), head, body)).map(({ status }) => status);
  };

  test("too short: what is cut off is no JSON, and what is left over no request", async () => {
    for (const route of posts) expect(await statuses(await kept(route), -1)).toEqual([400, 400]);
  });

  test("too long: 400 when the client ends the connection before its body, and the key is free", async () => {
    for (const route of posts) expect(await statuses(formOf(route), 5, exchangeAndEnd)).toEqual([400]);
  });
});

test("every POST that was refused here is taken when it is sent as it should be", async () => {
  expect(await answersTo((body) => ({ body }))).toEqual(succeeds);
});
