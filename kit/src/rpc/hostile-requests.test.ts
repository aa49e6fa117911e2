import { once } from "node:events";
import net from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@shipping/proto/grpc/health/v1/health_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import fc from "fast-check";
import { silentLog } from "../process/log.js";
import { empty, ledgerRoutes, readRequest as read, rpcTestbed } from "../testing/rpc-testbed.js";
import { serve } from "./server.js";
import { BATCH_PATH, methodPath } from "./unary/protocol.js";

const { serving, clientTo, onEnd, ends } = rpcTestbed();
afterEach(ends);

type Field = readonly [name: string, value: string];

interface Call {
  fields: readonly Field[];
  body: Uint8Array;
  /** True if its stream ends with the body. */
  isComplete: boolean;
  /** The code with which it is cancelled. */
  reset: number | undefined;
}

const HEADERS = 1;
const DATA = 0;
const RST_STREAM = 3;
const SETTINGS = 4;
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function frame(type: number, flags: number, stream: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

/** Encodes a header without indexing (HPACK), because Node's own client refuses to send invalid ones. */
function hpack([name, value]: Field): Buffer {
  const texts = [name, value].map((text) => Buffer.from(text, "latin1").subarray(0, 126));
  return Buffer.concat([Buffer.from([0x10]), ...texts.flatMap((text) => [Buffer.from([text.length]), text])]);
}

/** Sends calls over one connection, byte by byte as they are given. */
async function sendRaw(port: number, calls: readonly Call[]): Promise<void> {
  const socket = net.connect(port, "127.0.0.1").on("error", () => {});
  const closed = once(socket, "close");
  const frames = calls.flatMap(({ fields, body, isComplete, reset }, index) => {
    const stream = 2 * index + 1;
    const cancel = Buffer.alloc(4);
    cancel.writeUInt32BE(reset ?? 0);
    return [
      frame(HEADERS, 4, stream, Buffer.concat(fields.map(hpack))),
      frame(DATA, isComplete ? 1 : 0, stream, body),
      ...(reset === undefined ? [] : [frame(RST_STREAM, 0, stream, cancel)]),
    ];
  });
  socket.end(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(0)), ...frames]));
  socket.resume();
  await closed;
}

const PATHS = [...LedgerService.methods, ...Health.methods].map(methodPath).concat(BATCH_PATH);
const AUTHORITIES = ["::1:23101", "[::1", "", "host:99999", "a b", "@", "%zz", "//", "[", "user:secret@host", "\x80"];
const TYPES = ["application/proto", "application/json", "application/grpc", "application/grpc-web", "text/html", ""];
const OTHERS = ["connect-timeout-ms", "grpc-timeout", "content-encoding", "grpc-encoding", "te", "expect", "__proto__"];
const NO_ERROR = 0;

/** Creates a call with an empty message. */
const callOf = (path: string, type: string, authority = "part"): Call => ({
  fields: [
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", authority],
    ["content-type", type],
  ],
  body: new Uint8Array(),
  isComplete: true,
  reset: undefined,
});

const or = (...known: string[]) => fc.oneof(fc.constantFrom(...known), fc.string({ maxLength: 100, unit: "binary" }));

const calls: fc.Arbitrary<Call> = fc.record({
  fields: fc
    .record(
      {
        ":method": or("POST", "GET", "CONNECT", "HEAD"),
        ":scheme": or("http", "https"),
        ":path": or(...PATHS, ...PATHS.map((path) => `${path}?message=%zz&encoding=json`)),
        ":authority": or("localhost", ...AUTHORITIES),
        "content-type": or(...TYPES),
        "connect-protocol-version": or("1"),
        "content-length": or("0", "99999999999999999999"),
        ":protocol": or("websocket"),
      },
      { requiredKeys: [":method", ":scheme", ":path"] },
    )
    .chain((known) =>
      fc
        .array(fc.tuple(or(...OTHERS), or("1", "gzip", "100-continue")))
        .map((others) => [...(Object.entries(known) as Field[]), ...others]),
    ),
  body: fc.uint8Array({ maxLength: 2_000 }),
  isComplete: fc.boolean(),
  reset: fc.option(fc.nat(15), { nil: undefined }),
});

describe("a part's RPC port", () => {
  test("answers a call with any authority, to each protocol", async () => {
    const { port, url } = await serving(() => {});
    for (const authority of AUTHORITIES)
      await sendRaw(
        port,
        PATHS.flatMap((path) => TYPES.map((type) => callOf(path, type, authority))),
      );
    expect(await clientTo(url).read(read())).toEqual(empty());
  });

  test("logs no line for a peer that goes away before it is answered", async () => {
    const printed = jest.spyOn(console, "error");
    const { port, url } = await serving(() => {});
    const abandoned = PATHS.flatMap((path) => TYPES.map((type) => ({ ...callOf(path, type), reset: NO_ERROR })));
    await sendRaw(port, abandoned);
    expect(await clientTo(url).read(read())).toEqual(empty());
    expect(printed).not.toHaveBeenCalled();
  });

  test("survives whatever a peer sends", async () => {
    const { port, url } = await serving(() => {});
    const client = clientTo(url);
    const survives = async (sent: Call[]) => {
      await sendRaw(port, sent);
      expect(await client.read(read())).toEqual(empty());
    };
    await fc.assert(fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 20 }), survives), { numRuns: 50 });
  });

  test("may be on an IPv6 address alone: Node's clients name it as `::1:7001`, which no URL can hold", async () => {
    const server = await serve({ routes: ledgerRoutes(() => {}), port: 0, host: "::1", log: silentLog() });
    onEnd(() => server.stop(0));
    const url = `http://[::1]:${server.port}`;
    expect(await clientTo(url).read(read())).toEqual(empty());
    const health = createClient(Health, createGrpcTransport({ baseUrl: url }));
    expect((await health.check({})).status).toBe(Status.SERVING);
  });
});
