import { EventEmitter, once } from "node:events";
import http2 from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { LedgerService, ReadRequestSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { fail, failureIn } from "../../errors.js";
import { empty, readRequest as read, rpcTestbed } from "../../testing/rpc-testbed.js";
import { type AnswerHead, BATCH_PATH, BATCH_TYPE, frameOf, readFrames } from "./call-frames.js";

const { serving, clientTo, onEnd, ends } = rpcTestbed();
afterEach(ends);

/** The library's own client, which accepts compression; in JSON it is not answered by `answerUnary`. */
const libraryClient = (baseUrl: string, useBinaryFormat: boolean) =>
  createClient(LedgerService, createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat }));

describe("a unary call", () => {
  test("of the library's client gets the same answers, in binary and in JSON", async () => {
    const { url } = await serving((key) => {
      if (key === "refused") throw fail("not_found", "No such thing.");
    });
    for (const client of [libraryClient(url, true), libraryClient(url, false), clientTo(url)]) {
      expect(await client.read(read("found"))).toEqual(empty());
      const refused = await client.read(read("refused")).catch((error) => error);
      expect(failureIn(refused)).toMatchObject({ code: "not_found", message: "No such thing." });
    }
  });

  test("larger than a message may be is refused, and the next one is answered", async () => {
    const { url } = await serving(() => {});
    const client = clientTo(url);
    const tooLarge = client.read(read("k".repeat(1024 * 1024)));
    await expect(tooLarge).rejects.toMatchObject({ code: Code.ResourceExhausted });
    expect(await client.read(read())).toEqual(empty());
  });

  test("of which only a part has come is not begun", async () => {
    const handled: string[] = [];
    const { url } = await serving((key) => handled.push(key));
    const session = http2.connect(url);
    onEnd(() => session.destroy());
    const message = toBinary(ReadRequestSchema, create(ReadRequestSchema, read("whole")));
    const headers = {
      ":method": "POST",
      ":path": "/shipping.ledger.v1.LedgerService/Read",
      "content-type": "application/proto",
      "connect-protocol-version": "1",
    };
    const cut = session.request(headers);
    // Cut at a field's end, so that what has come could be read.
    cut.write(toBinary(ReadRequestSchema, create(ReadRequestSchema, { idempotencyKey: "cut" })));
    await once(cut, "ready");
    cut.close(http2.constants.NGHTTP2_CANCEL);
    const whole = session.request(headers).end(message);
    await once(whole.resume(), "end");
    expect(handled).toEqual(["whole"]);
  });

  test("whose client has gone ends no process, whatever its handler does", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await serving((key) => (key === "held" ? held : undefined));
    const client = clientTo(url);
    await expect(client.read(read("held"), { timeoutMs: 20 })).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    release();
    expect(await client.read(read())).toEqual(empty());
  });
});

describe("a batch of calls", () => {
  /** Sends bytes as a batch and reads what comes back. */
  async function send(url: string, bytes: Buffer) {
    const session = http2.connect(url);
    onEnd(() => session.destroy());
    const stream = session.request({ ":method": "POST", ":path": BATCH_PATH, "content-type": BATCH_TYPE });
    const head = once(stream, "response").then(([headers]) => headers as http2.IncomingHttpHeaders);
    const chunks: Buffer[] = await stream.end(bytes).toArray();
    return { head: await head, body: Buffer.concat(chunks) };
  }
  const readCall = (key: string, path = "/shipping.ledger.v1.LedgerService/Read", headers = {}) =>
    frameOf({ path, headers }, toBinary(ReadRequestSchema, create(ReadRequestSchema, read(key))));
  function answersIn(body: Buffer) {
    const answers: (AnswerHead & { body: string })[] = [];
    readFrames<AnswerHead>(body.length, (head, bytes) => answers.push({ ...head, body: String(bytes) })).take(body);
    return answers;
  }

  test("is answered call by call, whenever each is ready, and a failure is its own call's alone", async () => {
    const handled = new EventEmitter();
    const { url } = await serving((key) => {
      // A turn later, when the second's answer has left.
      if (key === "first") return once(handled, "second").then(() => new Promise(setImmediate));
      if (key === "refused") throw fail("not_found", "No such thing.");
      return handled.emit(key);
    });
    const calls = [
      readCall("first"),
      readCall("second"),
      readCall("refused"),
      readCall("k", "/elsewhere"),
      readCall("k", undefined, { "not a name": "" }),
    ];
    const { head, body } = await send(url, Buffer.concat(calls));
    expect(head).toMatchObject({ ":status": 200, "content-type": BATCH_TYPE });
    const answers = answersIn(body);
    expect(answers.findIndex(({ call }) => call === 1)).toBeLessThan(answers.findIndex(({ call }) => call === 0));
    expect(answers.sort((a, b) => a.call - b.call)).toMatchObject([
      { status: 200, type: "application/proto" },
      { status: 200, type: "application/proto" },
      { status: 404, type: "application/json", body: expect.stringContaining("No such thing.") },
      { status: 501, body: expect.stringContaining("There is no /elsewhere.") },
      { status: 500 },
    ]);
  });

  test("that cannot be read to its end, or is too large, is refused, and none of its calls is begun", async () => {
    const handled: string[] = [];
    const { url } = await serving((key) => handled.push(key));
    const cutOff = Buffer.concat([readCall("k"), readCall("k").subarray(0, 20)]);
    const noJson = Buffer.concat([readCall("k"), Buffer.from("\0\0\0\x02\0\0\0\0no")]);
    const tooMany = Buffer.concat(Array(20_000).fill(readCall("k")));
    const statuses = [];
    for (const bytes of [cutOff, noJson, Buffer.alloc(0), tooMany]) {
      statuses.push((await send(url, bytes)).head[":status"]);
    }
    expect(statuses).toEqual([400, 400, 400, 429]);
    expect(handled).toEqual([]);
  });

  test("of 64 calls is answered, of one more refused before any is begun", async () => {
    const handled: string[] = [];
    const { url } = await serving((key) => handled.push(key));
    const { head, body } = await send(url, Buffer.concat(Array(64).fill(readCall("k"))));
    expect([head[":status"], answersIn(body).length, handled.length]).toEqual([200, 64, 64]);
    const tooMany = await send(url, Buffer.concat(Array(65).fill(readCall("k"))));
    expect(tooMany.head[":status"]).toBe(429);
    expect(String(tooMany.body)).toContain("at most 64 calls");
    expect(handled).toHaveLength(64);
  });

  test("whose client has gone ends no process, whatever its handlers do", async () => {
    const handler = new EventEmitter();
    const { url } = await serving((key) => {
      if (key !== "held") return;
      handler.emit("begun");
      return once(handler, "released");
    });
    const session = http2.connect(url);
    onEnd(() => session.destroy());
    const stream = session.request({ ":method": "POST", ":path": BATCH_PATH, "content-type": BATCH_TYPE });
    stream.on("error", () => {}).end(Buffer.concat([readCall("held"), readCall("held")]));
    await once(handler, "begun");
    session.destroy();
    handler.emit("released");
    expect(await clientTo(url).read(read())).toEqual(empty());
  });
});
