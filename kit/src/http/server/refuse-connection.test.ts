import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { silentLog } from "../../process/log.js";
import { eventually } from "../../testing/eventually.js";
import { exchange, parseAnswers, received } from "../../testing/raw-http.js";
import { createConnections } from "./connections.js";
import { type HttpServer, listen } from "./listen.js";
import { dropRest } from "./refuse-connection.js";

/** Stops the clock, so that only bytes can end a connection. Returns a function that lets the clock run on. */
function stopClock(): () => void {
  const clock = jest.spyOn(performance, "now").mockReturnValue(performance.now());
  return () => clock.mockRestore();
}

test.each([
  [true, "max-age=31536000; includeSubDomains"],
  [undefined, undefined],
])("every answer says whether browsers may use only https from now on: %p", async (strictTransport, expected) => {
  const handler: RequestListener = (_req, res) => void res.end();
  const where = { port: 0, host: "127.0.0.1" };
  const server = await listen({ handler, ...where, log: silentLog(), random: randomBytes, strictTransport });
  const answers = await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "nonsense\r\n\r\n");
  expect(answers.map(({ status, headers }) => [status, headers["strict-transport-security"]])).toEqual([
    [200, expected],
    [400, expected],
  ]);
  await server.stop(true);
});

describe("dropRest", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const watched = () => {
    const socket = Object.assign(new EventEmitter(), { bytesRead: 5_000_000, destroy: jest.fn() });
    return { socket, stop: dropRest(socket as unknown as Socket) };
  };

  test("ends a connection on which more than 1 MiB has come since, or after 2 s, once", () => {
    jest.advanceTimersByTime(5_000);
    const [{ socket: much }, { socket: little }] = [watched(), watched()];
    much.bytesRead += 1024 * 1024;
    jest.advanceTimersByTime(1_000);
    expect(much.destroy).not.toHaveBeenCalled();
    much.bytesRead += 1;
    jest.advanceTimersByTime(1_000);
    expect(much.destroy).toHaveBeenCalledTimes(1);
    expect(little.destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect([much, little].map(({ destroy }) => destroy.mock.calls.length)).toEqual([1, 1]);
  });

  test("leaves a connection alone that was closed, or whose watch was stopped, without a listener", () => {
    const [stopped, closed] = [watched(), watched()];
    stopped.stop();
    closed.socket.emit("close");
    for (const { socket } of [stopped, closed]) socket.bytesRead += 2 * 1024 * 1024;
    jest.advanceTimersByTime(3_000);
    for (const { socket } of [stopped, closed]) {
      expect(socket.destroy).not.toHaveBeenCalled();
      expect(socket.listenerCount("close")).toBe(0);
    }
  });
});

describe("the rest of a request that has its answer", () => {
  /** Answers GET with 200, begins to answer PUT, and answers anything else with a 404 before its body has arrived. */
  const handled: string[] = [];
  const arrived: string[] = [];
  const handler: RequestListener = (req, res) => {
    handled.push(req.url ?? "");
    req.once("close", () => arrived.push(req.url ?? ""));
    if (req.method === "PUT") return void res.writeHead(200, { "content-length": 2 }).flushHeaders();
    res.statusCode = req.method === "GET" ? 200 : 404;
    res.end(req.url);
  };
  const connections = createConnections(10);
  let server: HttpServer;
  beforeAll(async () => {
    server = await listen({ handler, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes, connections });
  });
  afterAll(() => server.stop(true));

  /** Opens a connection on which the rest of a request is missing. */
  async function refusedUpload(connection: string) {
    const allowHalfOpen = connection === "close";
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen });
    const bytes = received(socket);
    socket.write(`POST /no HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: 3000000\r\n\r\n`);
    await once(socket, "data");
    return { socket, bytes };
  }

  test.each(["close", "keep-alive"])(
    "is dropped for 2 s, and then the connection is closed: %s",
    async (connection) => {
      const started = performance.now();
      const { socket, bytes } = await refusedUpload(connection);
      const dripping = setInterval(() => socket.write("x"), 50);
      expect(parseAnswers(await bytes)).toMatchObject([{ status: 404 }]);
      clearInterval(dripping);
      expect(performance.now() - started).toBeGreaterThan(1_900);
    },
  );

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
    handled.length = 0;
    expect(await statuses(`${upload}Connection: close\r\n\r\n`, rest, more)).toEqual([404]);
    expect(handled).toEqual(["/no"]);
  });

  test("leaves the connection to the next request, however late that comes", async () => {
    const socket = connect(server.port, "127.0.0.1");
    const bytes = received(socket);
    socket.write("POST /kept HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n");
    await once(socket, "data");
    socket.write("rest");
    await eventually(() => expect(arrived).toContain("/kept"));
    socket.write("GET /ok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(parseAnswers(await bytes).map(({ status }) => status)).toEqual([404, 200]);
  });

  test("ends the connection where that was announced, though the client keeps its half open", async () => {
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.write("POST /no HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n");
    await once(socket, "data");
    socket.write("rest");
    await eventually(() => expect(connections.load().open).toBe(0));
    socket.destroy();
  });

  test.each([
    ["POST", 404],
    ["PUT", 200],
  ])(
    "is no second refusal, however malformed it is, also where the answer has only begun: %s",
    async (method, status) => {
      const socket = connect(server.port, "127.0.0.1");
      const bytes = received(socket);
      socket.write(`${method} /no HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      await once(socket, "data");
      socket.write("no chunk\r\n");
      expect(parseAnswers(await bytes)).toMatchObject([{ status }]);
    },
  );
});
