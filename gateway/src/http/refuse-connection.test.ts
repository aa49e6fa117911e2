import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { exchange, parseAnswers, received } from "../testing/raw-http.js";
import { type HttpServer, listen } from "./listen.js";
import { dropRest } from "./refuse-connection.js";

/** Both ends of a connection, of which the far one reads whatever comes. */
async function connection(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [far] = (await once(server, "connection")) as [Socket];
  server.close();
  near.on("error", () => {});
  far.resume();
  return { near, far };
}

/** Stops the clock: only bytes can end a connection then. Yields what lets it run on. */
function stopClock(): () => void {
  const clock = jest.spyOn(performance, "now").mockReturnValue(performance.now());
  return () => clock.mockRestore();
}

test("a connection on which more than 1 MiB comes is ended whatever the time", async () => {
  const { near, far } = await connection();
  const closed = once(far, "close");
  const goOn = stopClock();
  dropRest(far);
  const write = () => {
    while (near.writable && near.write(Buffer.alloc(64 * 1024))) {}
  };
  near.on("drain", write);
  write();
  await closed;
  goOn();
  expect(far.bytesRead).toBeGreaterThan(1024 * 1024);
  near.destroy();
});

test("one on which little comes is ended after 2 s", async () => {
  const { near, far } = await connection();
  const closed = once(far, "close");
  const started = performance.now();
  dropRest(far);
  near.write("x".repeat(1_000));
  await closed;
  expect(performance.now() - started).toBeGreaterThan(1_900);
  expect(far.bytesRead).toBe(1_000);
  near.destroy();
});

test("the watch of one that is closed already ends by itself", async () => {
  const { near, far } = await connection();
  near.destroy();
  far.destroy();
  await once(far, "close");
  const destroy = jest.spyOn(far, "destroy");
  dropRest(far);
  await eventually(() => expect(destroy).toHaveBeenCalledTimes(1), { withinMs: 5_000 });
  const ended = performance.now();
  await eventually(() => expect(performance.now() - ended).toBeGreaterThan(100));
  expect(destroy).toHaveBeenCalledTimes(1);
});

test("one whose watch was stopped goes on", async () => {
  const { near, far } = await connection();
  dropRest(far)();
  near.end(Buffer.alloc(2 * 1024 * 1024));
  await once(far, "end");
  expect(far.bytesRead).toBe(2 * 1024 * 1024);
  far.destroy();
});

test("watches that were stopped leave nothing on a connection that is used for long", async () => {
  const { near, far } = await connection();
  const before = far.listenerCount("close");
  for (let n = 0; n < 20; n++) dropRest(far)();
  expect(far.listenerCount("close")).toBe(before);
  near.destroy();
  far.destroy();
});

describe("the rest of a request that has its answer", () => {
  /** Answers GET with 200, and anything else with a 404 before its body is there. */
  const handler: RequestListener = (req, res) => {
    res.statusCode = req.method === "GET" ? 200 : 404;
    res.end(req.url);
  };
  let server: HttpServer;
  beforeAll(async () => {
    server = await listen({ handler, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
  });
  afterAll(() => server.stop(true));

  /** A connection that owes the rest of a request. */
  async function refusedUpload(connection: string) {
    const allowHalfOpen = connection === "close";
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen });
    const bytes = received(socket);
    socket.write(`POST /no HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: 3000000\r\n\r\n`);
    await once(socket, "data");
    return { socket, bytes };
  }

  test("is dropped for 2 s, and then the connection is closed", async () => {
    for (const connection of ["close", "keep-alive"]) {
      const started = performance.now();
      const { socket, bytes } = await refusedUpload(connection);
      const dripping = setInterval(() => socket.write("x"), 50);
      expect(parseAnswers(await bytes)).toMatchObject([{ status: 404 }]);
      clearInterval(dripping);
      const took = performance.now() - started;
      expect(took).toBeGreaterThan(1_900);
      expect(took).toBeLessThan(10_000);
    }
  });

  test("is dropped up to 1 MiB, and then the connection is closed", async () => {
    const goOn = stopClock();
    const { socket, bytes } = await refusedUpload("keep-alive");
    socket.write(Buffer.alloc(2_900_000));
    expect(parseAnswers(await bytes)).toMatchObject([{ status: 404 }]);
    goOn();
  });

  test("is followed by the next request, and by the end where that was announced", async () => {
    const upload = "POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n";
    const rest = Buffer.alloc(300_000);
    const more = "GET /ok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const statuses = async (...parts: (string | Buffer)[]) =>
      (await exchange(server.port, ...parts)).map(({ status }) => status);
    expect(await statuses(`${upload}\r\n`, rest, more)).toEqual([404, 200]);
    expect(await statuses(`${upload}Connection: close\r\n\r\n`, rest, more)).toEqual([404]);
  });

  test("is no second refusal, however malformed it is", async () => {
    const upload = "POST /no HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const socket = connect(server.port, "127.0.0.1");
    const bytes = received(socket);
    socket.write(upload);
    await once(socket, "data");
    socket.write("no chunk\r\n");
    expect(parseAnswers(await bytes)).toMatchObject([{ status: 404 }]);
  });
});
