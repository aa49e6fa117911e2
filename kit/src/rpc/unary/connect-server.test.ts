import { once } from "node:events";
import http2 from "node:http2";
import { gzipSync } from "node:zlib";
import { toBinary, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { ReadRequestSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import {
  callEnd,
  closeAll,
  codes,
  keys,
  library,
  listening,
  onClose,
  ours,
  sessionTo,
  toMessage,
} from "../../testing/protocol-testbed.js";
import { unaryOver } from "./client.js";
import { failedCall } from "./methods.js";

afterEach(closeAll);

describe("a server answers byte by byte as the library's", () => {
  type Row = [what: string, headers: http2.OutgoingHttpHeaders, body: Buffer];
  const READ = "/shipping.ledger.v1.LedgerService/Read";
  const POST = {
    ":method": "POST",
    ":path": READ,
    "content-type": "application/proto",
    "connect-protocol-version": "1",
  };
  const binary = (key: string | number) => Buffer.from(toBinary(ReadRequestSchema, toMessage(key)));
  const json = Buffer.from(toJsonString(ReadRequestSchema, toMessage("trailer")));
  const JSON_TYPE = { "content-type": "application/json" };

  async function answerOf(url: string, headers: http2.OutgoingHttpHeaders, body: Buffer) {
    const session = http2.connect(url);
    onClose(() => session.destroy());
    const stream = session.request({ ...POST, ...headers });
    if (headers[":method"] === "GET") stream.end();
    else stream.end(body);
    const [head] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
    const { date: _, ...rest } = head;
    return { headers: { ...rest }, body: Buffer.concat(await stream.toArray()).toString() };
  }

  const query = `?connect=v1&encoding=json&message=${encodeURIComponent(String(json))}`;
  test.each<Row>([
    ...keys.map((key): Row => [key, { "x-asks": "this" }, binary(key)]),
    ...codes.map((code): Row => [`an error: ${Code[code]}`, {}, binary(code)]),
    ["nothing", {}, Buffer.alloc(0)],
    ["what is no message", {}, Buffer.of(255, 255)],
    ["a time of eleven digits", { "connect-timeout-ms": "12345678901" }, binary("plain")],
    ["a time that is none", { "connect-timeout-ms": "-1" }, binary("plain")],
    ["no version of the protocol", { "connect-protocol-version": undefined }, binary("trailer")],
    ["another version of the protocol", { "connect-protocol-version": "2" }, binary("plain")],
    ["JSON", JSON_TYPE, json],
    ["JSON, compressed", { ...JSON_TYPE, "content-encoding": "gzip" }, gzipSync(json)],
    [
      "a compressed message",
      { "content-encoding": "gzip", "accept-encoding": "identity" },
      gzipSync(binary("trailer")),
    ],
    ["a message that is said to be compressed", { "content-encoding": "gzip" }, binary("trailer")],
    ["a compression that nobody knows", { "content-encoding": "lzma" }, binary("plain")],
    ["no compression, by name", { "content-encoding": "identity" }, binary("plain")],
    ["a GET", { ":method": "GET", ":path": READ + query, "content-type": undefined }, json],
    ["a GET of a method that writes", { ":method": "GET", ":path": READ.replace("Read", "Resolve") + query }, json],
    ["a PUT", { ":method": "PUT" }, json],
    ["a method that does not exist", { ":path": "/shipping.ledger.v1.LedgerService/Write" }, binary("plain")],
    ["a path with a query", { ":path": `${READ}?a` }, binary("plain")],
    ["another content type", { "content-type": "text/plain" }, binary("plain")],
    ["a content type in capitals", { "content-type": "Application/Proto" }, binary("plain")],
  ])("to %s", async (_what, headers, body) => {
    const [expected, found] = await Promise.all(
      [library(), ours()].map(async (handler) => answerOf(await listening(handler), headers, body)),
    );
    expect(found).toEqual(expected);
  });
});

test("an error that a handler has from its neighbour does not bring that answer's own headers", async () => {
  const own = { "content-type": "text/html", "content-length": "7", "content-encoding": "gzip", date: "today" };
  const { headers } = failedCall(new ConnectError("gone", Code.NotFound, { ...own, "x-why": "moved" }));
  expect(headers).toEqual({ "x-why": "moved" });
});

test("every transport of the library works at a server, compressed where it can, and ends alike", async () => {
  const baseUrl = await listening(ours());
  const sessionManager = sessionTo(baseUrl);
  const options = { baseUrl, sessionManager, httpVersion: "2" as const };
  const compressed = { ...options, sendCompression: compressionGzip, compressMinBytes: 0 };
  const transports = [
    createConnectTransport(options),
    createConnectTransport({ ...options, useBinaryFormat: false }),
    createConnectTransport({ ...options, useHttpGet: true }),
    createConnectTransport(compressed),
    createConnectTransport({ ...compressed, useBinaryFormat: false }),
    createGrpcTransport(compressed),
    createGrpcWebTransport(compressed),
    { unary: unaryOver(sessionManager) },
  ];
  for (const { unary } of transports) {
    const large = await callEnd(unary, "large");
    expect(large).toMatchObject({ message: { result: { fingerprint: { length: 100_000 } } } });
    const missing = await callEnd(unary, Code.NotFound);
    expect(missing).toMatchObject({ code: Code.NotFound, rawMessage: "No such thing: é", details: [{}] });
    expect(await callEnd(unary, "trailer")).toMatchObject({
      header: { "x-header": "before" },
      trailer: { "x-trailer": "after" },
    });
    expect(await callEnd(unary, "never", { timeoutMs: 30 })).toMatchObject({ code: Code.DeadlineExceeded });
  }
});
