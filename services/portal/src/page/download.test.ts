import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { sendDownload } from "./download.js";

const file = { type: "text/csv; charset=utf-8", name: "a.csv" };
const MIB = 1024 * 1024;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Wanted {
  first?: string;
  next(): Promise<IteratorResult<Buffer>>;
  method?: "GET" | "HEAD";
  version?: "1.0" | "1.1";
  /** How long the download may take, and how long its client may stop reading. */
  ms?: number;
  stallMs?: number;
}

/** A client that has requested a download, and the end of the download as the server sees it. */
async function download({ first = "first\r\n", next, method = "GET", version = "1.1", ms, stallMs = 0 }: Wanted) {
  const listening = createServer().listen(0, "127.0.0.1");
  server = listening.setTimeout(stallMs);
  await once(listening, "listening");
  const ended = new Promise<unknown>((resolve) => {
    listening.on("request", (_req, res) =>
      sendDownload(res, { ...file, first: Buffer.from(first) }, next, ms).then(resolve, resolve),
    );
  });
  const socket = connect((listening.address() as AddressInfo).port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(`${method} / HTTP/${version}\r\nHost: a\r\n\r\n`);
  return { socket, ended };
}

/** Yields the same chunk endlessly, and counts the chunks. */
function endless(bytes: number) {
  const made = {
    chunks: 0,
    async next(): Promise<IteratorResult<Buffer>> {
      made.chunks++;
      return { value: Buffer.alloc(bytes, "x") };
    },
  };
  return made;
}

/** Reads everything until the connection is closed. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (some: string) => {
    text += some;
  });
  socket.resume();
  await eventually(() => expect(socket.closed).toBe(true));
  return text;
}

// Observed at the server: to a client in Node, a reset right after other bytes looks like an end (libuv stops reading once the kernel reports
// POLLHUP).
const reset = jest.spyOn(Socket.prototype, "resetAndDestroy");
afterEach(() => reset.mockClear());
afterAll(() => reset.mockRestore());

test("is complete, chunk by chunk, for a client that reads", async () => {
  const chunks = ["two\r\n", "three\r\n"].map((line) => Buffer.from(line))[Symbol.iterator]();
  const { socket, ended } = await download({ first: "one;ö\r\n", next: async () => chunks.next(), version: "1.0" });
  const text = await readAll(socket);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*\r\none;ö\r\ntwo\r\nthree\r\n$/);
  expect(text).toContain('Content-Disposition: attachment; filename="a.csv"\r\n');
  expect([await ended, reset.mock.calls]).toEqual([undefined, []]);
});

test("is announced to HEAD, and not made", async () => {
  const made = endless(MIB);
  const { socket, ended } = await download({ next: made.next, method: "HEAD", version: "1.0" });
  expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Content-Type: text\/csv(?:.*\r\n)*\r\n$/);
  expect([await ended, made.chunks, reset.mock.calls]).toEqual([undefined, 0, []]);
});

test("makes no chunk before the client has read the one before", async () => {
  // Larger than the kernel's buffers of a connection whose client does not read.
  const made = endless(64 * MIB);
  const { socket, ended } = await download({ next: made.next });
  await eventually(() => expect(made.chunks).toBe(1));
  socket.destroy();
  expect(await ended).toBeUndefined();
  expect(made.chunks).toBe(1);
});

describe.each(["1.0", "1.1"] as const)(
  "in HTTP/%s, a client can tell a whole download from one that ended",
  (version) => {
    test("because a chunk could not be made", async () => {
      const failure = new Error("no more");
      const { socket, ended } = await download({ next: () => Promise.reject(failure), version });
      await readAll(socket);
      expect(await ended).toBe(failure);
      expect(reset).toHaveBeenCalledTimes(1);
    });

    test("because it took too long, though its client reads", async () => {
      const { socket, ended } = await download({ next: endless(MIB).next, version, ms: 300 });
      await readAll(socket);
      expect(await ended).toBeUndefined();
      expect(reset).toHaveBeenCalledTimes(1);
    });

    test.each([
      ["because it took too long, while nobody read it", { ms: 300 }],
      ["because its client read nothing for a while", { stallMs: 300 }],
    ])("%s", async (_name, limit) => {
      const made = endless(64 * MIB);
      const { ended } = await download({ next: made.next, version, ...limit });
      expect([await ended, made.chunks]).toEqual([undefined, 1]);
      expect(reset).toHaveBeenCalledTimes(1);
    });
  },
);
