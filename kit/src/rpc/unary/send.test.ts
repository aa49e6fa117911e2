import { EventEmitter, getEventListeners, once } from "node:events";
import http2 from "node:http2";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Client, Code, createClient, type Transport } from "@connectrpc/connect";
import {
  type AnswerSchema,
  type Call,
  CallRequestSchema,
  CallResponseSchema,
} from "@shipping/proto/shipping/batch/v1/batch_pb";
import { LedgerService, ReadResponseSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { closeAll, listening, sessionTo } from "../../testing/protocol-testbed.js";
import { empty, readRequest } from "../../testing/rpc-testbed.js";
import { unaryOver } from "./client.js";
import { BATCH_PATH, MAX_MESSAGE_BYTES } from "./protocol.js";

const READ = "/shipping.ledger.v1.LedgerService/Read";
const OK = { ":status": 200, "content-type": "application/proto" };
const answered = toBinary(ReadResponseSchema, empty());
const responseOf = (...answers: MessageInitShape<typeof AnswerSchema>[]) =>
  toBinary(CallResponseSchema, create(CallResponseSchema, { answers }));
const answerTo = (call: number) => responseOf({ call, status: 200, contentType: "application/proto", body: answered });

afterEach(closeAll);

interface Received {
  path: string | undefined;
  headers: http2.IncomingHttpHeaders;
  stream: http2.ServerHttp2Stream;
  /** Decodes the calls of a batch. */
  calls: Call[];
}

/** Starts a server that answers each complete stream with `answer`, and a client of it. */
async function clientOf(answer: (received: Received) => void) {
  const received: Received[] = [];
  const url = await listening(({ url: path, headers }, response) => {
    const { stream } = response as http2.Http2ServerResponse;
    const chunks: Buffer[] = [];
    stream.on("error", () => {}).on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const calls = path === BATCH_PATH ? fromBinary(CallRequestSchema, Buffer.concat(chunks)).calls : [];
      received.push({ path, headers, stream, calls });
      answer(received.at(-1)!);
    });
  });
  const client = createClient(LedgerService, { unary: unaryOver(sessionTo(url)) } as Transport);
  return { client, received };
}

/** These calls are made in one turn of the event loop. */
const together = (client: Client<typeof LedgerService>, count: number, key = "k") =>
  Promise.allSettled(
    Array.from({ length: count }, (_, at) =>
      client.read(readRequest(key), { headers: { "x-request-id": `req_${at}` } }),
    ),
  );
const failures = (ends: PromiseSettledResult<unknown>[]) =>
  ends.map((end) => (end.status === "rejected" ? end.reason : undefined));

const answerAlone = ({ stream }: Received) => {
  stream.respond(OK);
  stream.end(answered);
};

describe("a call that is alone", () => {
  test("names its method, its time and the caller's headers, in any form, and accepts no compression", async () => {
    const { client, received } = await clientOf(answerAlone);
    const name = "x-request-id";
    const forms = [{ "X-Request-Id": "a" }, [[name, "a"]], new Headers({ [name]: "a" })] as const;
    for (const headers of forms)
      await client.read(readRequest(), { timeoutMs: 5_000, headers: headers as HeadersInit });
    const sent = { ":path": READ, "connect-timeout-ms": "5000", [name]: "a" };
    expect(received.map(({ headers }) => headers)).toMatchObject([sent, sent, sent]);
    for (const { headers } of received) expect(headers).not.toHaveProperty("accept-encoding");
  });

  test("is lost if its answer is cut off, and given up if that is larger than a message may be", async () => {
    for (const [body, code] of [
      [Buffer.alloc(10), Code.Unavailable],
      [Buffer.alloc(MAX_MESSAGE_BYTES + 1), Code.ResourceExhausted],
    ] as const) {
      const { client } = await clientOf(({ stream }) => {
        stream.respond(OK);
        stream.write(body, () => stream.session?.destroy());
      });
      await expect(client.read(readRequest())).rejects.toMatchObject({ code });
    }
  });

  test("ends with its deadline and with its signal, from which its listener is removed", async () => {
    const { client } = await clientOf(() => {});
    await expect(client.read(readRequest(), { timeoutMs: 20 })).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    const aborting = new AbortController();
    const call = client.read(readRequest(), { signal: aborting.signal });
    aborting.abort();
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    const { client: other } = await clientOf(answerAlone);
    const { signal } = new AbortController();
    await other.read(readRequest(), { signal });
    expect([aborting.signal, signal].map((each) => getEventListeners(each, "abort"))).toEqual([[], []]);
  });
});

describe("calls that are made in one turn of the event loop", () => {
  test("share a stream, and each gets its own answer, in whatever order they come", async () => {
    const { client, received } = await clientOf(({ stream }) => {
      stream.respond(OK);
      const body = Buffer.from(JSON.stringify({ code: "not_found", message: "No such thing." }));
      stream.write(answerTo(2));
      stream.write(responseOf({ call: 0, status: 404, contentType: "application/json", body }));
      stream.end(answerTo(1));
    });
    const [first, ...others] = await together(client, 3);
    expect(first).toMatchObject({ reason: { code: Code.NotFound, rawMessage: "No such thing." } });
    expect(others).toEqual([
      { status: "fulfilled", value: empty() },
      { status: "fulfilled", value: empty() },
    ]);
    expect(received.map(({ calls }) => calls)).toMatchObject([
      ["req_0", "req_1", "req_2"].map((id) => ({ path: READ, headers: { "x-request-id": id } })),
    ]);
  });

  test("end as their answers arrive, in any number of pieces, without waiting for the last", async () => {
    let open: http2.ServerHttp2Stream | undefined;
    const { client } = await clientOf(({ stream }) => {
      open = stream;
      stream.respond(OK);
      const bytes = answerTo(0);
      stream.write(bytes.subarray(0, 5), () => stream.write(bytes.subarray(5)));
    });
    const [first, second] = [client.read(readRequest()), client.read(readRequest())];
    expect(await first).toEqual(empty());
    open?.end(answerTo(1));
    expect(await second).toEqual(empty());
  });

  test("and are alone, or more than a stream may carry at once, are sent as ordinary calls and in several streams", async () => {
    const { client, received } = await clientOf(({ path, calls, stream }) => {
      stream.respond(OK);
      stream.end(path === READ ? answered : Buffer.concat(calls.map((_, at) => answerTo(at))));
    });
    const sizes = async (...many: Parameters<typeof together>) => {
      expect(failures(await together(...many))).toEqual(Array(many[1]).fill(undefined));
      return received
        .splice(0)
        .map(({ calls }) => calls.length)
        .sort();
    };
    expect(await sizes(client, 1)).toEqual([0]);
    expect(await sizes(client, 65)).toEqual([0, 64]);
    expect(await sizes(client, 3, "k".repeat(25_000))).toEqual([0, 2]);
  });
});

describe("a batch", () => {
  test("that is cut off loses the calls without an answer, and no others", async () => {
    for (const cut of [
      (stream: http2.ServerHttp2Stream) => stream.session?.destroy(),
      (stream: http2.ServerHttp2Stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
      (stream: http2.ServerHttp2Stream) => stream.end(),
    ]) {
      const { client } = await clientOf(({ stream }) => {
        stream.respond(OK);
        stream.write(answerTo(1), () => cut(stream));
      });
      const [lost, safe] = [client.read(readRequest()), client.read(readRequest())];
      expect(await safe).toEqual(empty());
      await expect(lost).rejects.toMatchObject({ code: Code.Unavailable });
    }
  });

  test("that the server refused reports the refusal to each of its calls, as to a call that is alone", async () => {
    const { client } = await clientOf(({ stream }) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM));
    const refused = { code: Code.Unavailable, rawMessage: expect.stringContaining("REFUSED_STREAM") };
    for (const count of [1, 2])
      expect(failures(await together(client, count))).toMatchObject(Array(count).fill(refused));
  });

  test("that is answered in another protocol, or with invalid answers, ends its calls, too", async () => {
    const json = Buffer.from(JSON.stringify({ code: "resource_exhausted", message: "Too many." }));
    const answers: [http2.OutgoingHttpHeaders, Uint8Array, Code][] = [
      [{ ":status": 502, "content-type": "text/html" }, Buffer.from("<html>"), Code.Unavailable],
      [{ ":status": 200, "content-type": "text/html" }, Buffer.from("<html>"), Code.Unknown],
      [{ ":status": 429, "content-type": "application/json" }, json, Code.ResourceExhausted],
      [OK, Buffer.from("<html>"), Code.InvalidArgument],
      [OK, Buffer.of(10, 255, 255, 255, 255, 15), Code.ResourceExhausted],
      [OK, Buffer.of(10, 1, 255), Code.Unavailable],
      [OK, answerTo(7), Code.Unavailable],
      [OK, answerTo(0).subarray(0, -1), Code.Unavailable],
    ];
    for (const [headers, body, code] of answers) {
      const { client } = await clientOf(({ stream }) => {
        stream.respond(headers);
        stream.end(body);
      });
      expect(failures(await together(client, 2))).toMatchObject([{ code }, { code }]);
    }
  });

  test("continues while a caller waits for one of its answers, and is cancelled when none does", async () => {
    const reached = new EventEmitter();
    const { client } = await clientOf(({ stream }) => reached.emit("stream", stream));
    const [one, other] = [new AbortController(), new AbortController()];
    const calls = [one.signal, undefined, other.signal].map((signal) =>
      client.read(readRequest(), signal && { signal }),
    );
    const [stream] = (await once(reached, "stream")) as [http2.ServerHttp2Stream];
    one.abort();
    await expect(calls[0]).rejects.toMatchObject({ code: Code.Canceled });
    stream.respond(OK);
    stream.write(answerTo(1));
    expect(await calls[1]).toEqual(empty());
    const closed = once(stream, "close");
    other.abort();
    await expect(calls[2]).rejects.toMatchObject({ code: Code.Canceled });
    await closed;
    expect(stream.rstCode).toBe(http2.constants.NGHTTP2_CANCEL);
  });

  test("leaves out calls that were cancelled before they were sent", async () => {
    const { client, received } = await clientOf(({ calls, stream }) => {
      stream.respond(OK);
      stream.end(Buffer.concat(calls.map((_, at) => answerTo(at))));
    });
    const gone = client.read(readRequest(), { signal: AbortSignal.abort() });
    const ends = together(client, 2);
    await expect(gone).rejects.toMatchObject({ code: Code.Canceled });
    expect(failures(await ends)).toEqual([undefined, undefined]);
    expect(received.map(({ calls }) => calls.length)).toEqual([2]);
  });
});
