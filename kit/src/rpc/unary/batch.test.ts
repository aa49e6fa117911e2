import { EventEmitter, once } from "node:events";
import http2 from "node:http2";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import {
  BatchService,
  CallRequestSchema,
  CallResponseSchema,
  type CallSchema,
} from "@shipping/proto/shipping/batch/v1/batch_pb";
import { ReadRequestSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { fail } from "../../errors.js";
import { empty, readRequest as read, rpcTestbed } from "../../testing/rpc-testbed.js";
import { readElements } from "./batch-codec.js";
import { BATCH_PATH } from "./protocol.js";

const { serving, clientTo, onEnd, ends } = rpcTestbed();
afterEach(ends);

type Calls = MessageInitShape<typeof CallSchema>[];

const READ = "/shipping.ledger.v1.LedgerService/Read";
const readCall = (key: string, path = READ, headers = {}) => ({
  path,
  headers,
  message: toBinary(ReadRequestSchema, create(ReadRequestSchema, read(key))),
});
const bytesOf = (...calls: Calls) => toBinary(CallRequestSchema, create(CallRequestSchema, { calls }));

/** Posts bytes as a batch. */
function post(url: string, bytes: Uint8Array, type = "application/proto") {
  const session = http2.connect(url);
  onEnd(() => session.destroy());
  const headers = { ":method": "POST", ":path": BATCH_PATH, "content-type": type, "connect-protocol-version": "1" };
  const stream = session.request(headers);
  stream.end(bytes);
  return stream;
}

/** Posts bytes as a batch, and reads the response. */
async function send(...sent: Parameters<typeof post>) {
  const stream = post(...sent);
  const head = once(stream, "response").then(([headers]) => headers as http2.IncomingHttpHeaders);
  const chunks: Buffer[] = await stream.toArray();
  return { head: await head, body: Buffer.concat(chunks) };
}

describe("a batch of calls", () => {
  test("is answered call by call, whenever each is ready, and a failure is its own call's alone", async () => {
    const handled = new EventEmitter();
    const { url } = await serving((key) => {
      // This runs one turn later, when the second call's answer has been sent.
      if (key === "first") return once(handled, "second").then(() => new Promise(setImmediate));
      if (key === "refused") throw fail("not_found", "No such thing.");
      return handled.emit(key);
    });
    const calls = [
      readCall("first"),
      readCall("second"),
      readCall("refused"),
      readCall("k", "/elsewhere"),
      readCall("k", BATCH_PATH),
      readCall("k", READ, { "not a name": "" }),
    ];
    const { head, body } = await send(url, bytesOf(...calls));
    expect(head).toMatchObject({ ":status": 200, "content-type": "application/proto" });
    const { answers } = fromBinary(CallResponseSchema, body);
    expect(answers.findIndex(({ call }) => call === 1)).toBeLessThan(answers.findIndex(({ call }) => call === 0));
    expect(answers.sort((a, b) => a.call - b.call)).toMatchObject([
      { status: 200, contentType: "application/proto" },
      { status: 200, contentType: "application/proto" },
      { status: 404, contentType: "application/json" },
      { status: 501, contentType: "application/json" },
      { status: 501, contentType: "application/json" },
      { status: 500 },
    ]);
    expect(String(answers[2]?.body)).toContain("No such thing.");
    expect(String(answers[3]?.body)).toContain("There is no /elsewhere.");
  });

  test("of which one hangs gives its companions their answers at once", async () => {
    const { url } = await serving((key) => (key === "slow" ? new Promise(() => {}) : undefined));
    const stream = post(url, bytesOf(readCall("slow"), readCall("quick")));
    const answers = await new Promise<Buffer>((resolve) => {
      stream.on("data", readElements(resolve).take);
    });
    expect(answers).toBeDefined();
    stream.close();
  });

  test("that is incomplete, or too large, is refused, and none of its calls is started", async () => {
    const handled: string[] = [];
    const { url } = await serving((key) => handled.push(key));
    const cutOff = Buffer.concat([bytesOf(readCall("k")), bytesOf(readCall("k")).subarray(0, 20)]);
    const noCall = Buffer.concat([bytesOf(readCall("k")), Buffer.of(10, 2, 10, 9)]);
    const noMessage = Buffer.from("no");
    const tooMany = Buffer.concat(Array(2_000).fill(bytesOf(readCall("k"))));
    const tooLarge = bytesOf({ path: READ, message: Buffer.alloc(256 * 1024) });
    const bad = [cutOff, noCall, noMessage, Buffer.alloc(0), tooMany, tooLarge];
    const answers = await Promise.all(bad.map((bytes) => send(url, bytes)));
    const statuses = answers.map(({ head }) => head[":status"]);
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429]);
    expect(handled).toEqual([]);
  });

  test("of 64 calls is answered, here with one unary answer; one of more is refused before any is begun", async () => {
    const handled: string[] = [];
    const { url } = await serving((key) => handled.push(key));
    const { head, body } = await send(url, bytesOf(...Array(64).fill(readCall("k"))));
    const { answers } = fromBinary(CallResponseSchema, body);
    expect(head).toMatchObject({ ":status": 200, "content-length": String(body.length) });
    expect([answers.length, handled.length]).toEqual([64, 64]);
    const tooMany = await send(url, bytesOf(...Array(65).fill(readCall("k"))));
    expect(tooMany.head[":status"]).toBe(429);
    expect(String(tooMany.body)).toContain("at most 64 calls");
    expect(handled).toHaveLength(64);
  });

  test("whose client has gone does not end the process, whatever its handlers do", async () => {
    const handler = new EventEmitter();
    const { url } = await serving((key) => {
      if (key !== "held") return;
      handler.emit("begun");
      return once(handler, "released");
    });
    const stream = post(url, bytesOf(readCall("held"), readCall("held"))).on("error", () => {});
    await once(handler, "begun");
    stream.session?.destroy();
    handler.emit("released");
    expect(await clientTo(url).read(read())).toEqual(empty());
  });
});

describe("a batch that a client of another make sends", () => {
  function transports(baseUrl: string) {
    const sessionManager = new Http2SessionManager(baseUrl);
    onEnd(() => sessionManager.abort());
    const options = { baseUrl, sessionManager, httpVersion: "2" as const };
    return {
      "Connect, binary": createConnectTransport(options),
      "Connect, JSON": createConnectTransport({ ...options, useBinaryFormat: false }),
      gRPC: createGrpcTransport(options),
      "gRPC-Web": createGrpcWebTransport(options),
    };
  }

  test("in any protocol has an answer for each of its calls, and too many are refused", async () => {
    const { url } = await serving((key) => {
      if (key === "refused") throw fail("not_found", "No such thing.");
      return key === "slow" ? new Promise(setImmediate) : undefined;
    });
    async function ask(transport: Transport): Promise<void> {
      const client = createClient(BatchService, transport);
      const { answers } = await client.call({ calls: [readCall("refused"), readCall("slow"), readCall("quick")] });
      expect(answers.sort((a, b) => a.call - b.call)).toMatchObject([
        { call: 0, status: 404, contentType: "application/json" },
        { call: 1, status: 200, contentType: "application/proto" },
        { call: 2, status: 200, contentType: "application/proto" },
      ]);
      const tooMany = client.call({ calls: Array(65).fill(readCall("k")) });
      const tooLarge = client.call({ calls: [{ path: READ, message: Buffer.alloc(256 * 1024) }] });
      await Promise.all([
        expect(tooMany).rejects.toMatchObject({ code: Code.ResourceExhausted }),
        expect(client.call({})).rejects.toMatchObject({ code: Code.InvalidArgument }),
        expect(tooLarge).rejects.toMatchObject({ code: Code.ResourceExhausted }),
      ]);
    }
    await Promise.all(Object.values(transports(url)).map(ask));
  });

  test("that is refused is answered late: five good ones, one after the other, come first", async () => {
    const { url } = await serving(() => {});
    const calls = Array(65).fill(readCall("k"));
    let refused = 0;
    const count = () => void refused++;
    const byLibrary = Object.values(transports(url)).map((each) => createClient(BatchService, each).call({ calls }));
    const ends = [send(url, bytesOf(...calls)).then(count), ...byLibrary.map((call) => call.catch(count))];
    for (let n = 0; n < 5; n++) await send(url, bytesOf(readCall("k")));
    expect(refused).toBe(0);
    await Promise.all(ends);
    expect(refused).toBe(ends.length);
  });

  test("does not wait for a call beyond that call's own deadline", async () => {
    const { url } = await serving((key) => (key === "slow" ? new Promise(() => {}) : undefined));
    const client = createClient(BatchService, transports(url).gRPC);
    const { answers } = await client.call({
      calls: [readCall("slow", READ, { "connect-timeout-ms": "20" }), readCall("quick")],
    });
    expect(answers).toMatchObject([{ status: 504 }, { status: 200 }]);
    expect(Buffer.from(answers[0]!.body).toString()).toContain("deadline_exceeded");
  });
});
