import { getEventListeners } from "node:events";
import http2 from "node:http2";
import { toBinary } from "@bufbuild/protobuf";
import { type CallOptions, Code, createClient, type Transport } from "@connectrpc/connect";
import { LedgerService, ReadResponseSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { closeAll, listening, sessionTo } from "../../testing/protocol-testbed.js";
import { empty, readRequest } from "../../testing/rpc-testbed.js";
import { unaryOver } from "./client.js";
import { MAX_MESSAGE_BYTES } from "./protocol.js";

afterEach(closeAll);

/** Creates a client of a server that answers each call with `answer`. */
async function clientOf(answer: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void) {
  const url = await listening(({ headers }, response) => {
    const { stream } = response as http2.Http2ServerResponse;
    stream.on("error", () => {}).resume();
    answer(stream, headers);
  });
  return createClient(LedgerService, { unary: unaryOver(sessionTo(url)) } as Transport);
}

const answered = toBinary(ReadResponseSchema, empty());
const ok = { ":status": 200, "content-type": "application/proto" };

describe("a unary call", () => {
  test("names its method, its time and the caller's headers, in any form, and accepts no compression", async () => {
    const seen: http2.IncomingHttpHeaders[] = [];
    const client = await clientOf((stream, headers) => {
      seen.push(headers);
      stream.respond(ok);
      stream.end(answered);
    });
    const name = "x-request-id";
    const forms: CallOptions["headers"][] = [{ "X-Request-Id": "a" }, [[name, "a"]], new Headers({ [name]: "a" })];
    for (const headers of forms) await client.read(readRequest(), { timeoutMs: 5_000, ...(headers && { headers }) });
    const sent = { ":path": "/shipping.ledger.v1.LedgerService/Read", "connect-timeout-ms": "5000", [name]: "a" };
    expect(seen).toMatchObject([sent, sent, sent]);
    for (const headers of seen) expect(headers).not.toHaveProperty("accept-encoding");
  });

  test.each<[what: string, end: (stream: http2.ServerHttp2Stream) => void]>([
    ["cut off", (stream) => stream.write(Buffer.alloc(10), () => stream.session?.destroy())],
    ["cancelled by the server", (stream) => stream.close(http2.constants.NGHTTP2_CANCEL)],
  ])("whose answer is %s is lost", async (_what, end) => {
    const client = await clientOf((stream) => {
      stream.respond(ok);
      end(stream);
    });
    await expect(client.read(readRequest())).rejects.toMatchObject({ code: Code.Unavailable });
  });

  test("that the server refused reports the refusal", async () => {
    const client = await clientOf((stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM));
    const refused = { code: Code.Unavailable, rawMessage: expect.stringContaining("REFUSED_STREAM") };
    await expect(client.read(readRequest())).rejects.toMatchObject(refused);
  });

  test("whose answer is larger than a message may be is given up", async () => {
    const client = await clientOf((stream) => {
      stream.respond(ok);
      stream.end(Buffer.alloc(MAX_MESSAGE_BYTES + 1));
    });
    await expect(client.read(readRequest())).rejects.toMatchObject({ code: Code.ResourceExhausted });
  });

  test("removes its listener from a signal that outlives it", async () => {
    const client = await clientOf((stream) => {
      stream.respond(ok);
      stream.end(answered);
    });
    const { signal } = new AbortController();
    await client.read(readRequest(), { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("ends with its deadline, and with its signal", async () => {
    const client = await clientOf(() => {});
    await expect(client.read(readRequest(), { timeoutMs: 20 })).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    const aborting = new AbortController();
    const call = client.read(readRequest(), { signal: aborting.signal });
    aborting.abort();
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    const tooLate = client.read(readRequest(), { signal: aborting.signal });
    await expect(tooLate).rejects.toMatchObject({ code: Code.Canceled });
  });
});
