import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { connect } from "node:net";
import { identifyRequest } from "@shipping/kit/http/observe-request";
import { type HttpServer, listen } from "@shipping/kit/http/server/listen";
import { isId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { exchange, parseAnswers, received } from "@shipping/kit/testing/raw-http";
import express from "express";
import { createPace, DEFAULT_PACE } from "./admission/pace.js";
import { refuseRoute, sendError } from "./api/middleware/refuse-request.js";

const log = silentLog();
const waiting: ServerResponse[] = [];
let server: HttpServer;

/** Answers GET /ok at once, GET /wait when the test does, and POST /ok when the body is there. */
function handler(): RequestListener {
  const app = express();
  app.use(identifyRequest(randomBytes));
  app.get("/ok", (_req, res) => void res.end("ok"));
  app.get("/wait", (_req, res) => void waiting.push(res));
  app.post("/ok", (req, res, next) => {
    req.on("end", () => res.end("ok"));
    req.on("error", next);
    req.resume();
  });
  app.use(refuseRoute([]));
  app.use(
    sendError({
      log,
      pace: createPace(DEFAULT_PACE),
      trustedProxies: { count: 0, header: "x-forwarded-for" },
    }),
  );
  return app;
}

const start = (arrivalMs?: number, port = 0) =>
  listen({
    handler: handler(),
    port,
    host: "127.0.0.1",
    log,
    random: randomBytes,
    ...(arrivalMs === undefined ? {} : { arrivalMs }),
  });

beforeAll(async () => {
  server = await start();
});
afterAll(() => server.stop(true));

const OK = "GET /ok HTTP/1.1\r\nHost: x\r\n\r\n";
const WAIT = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";

/** The response to the next GET /wait. */
const nextWaiting = () =>
  eventually(() => {
    const response = waiting.shift();
    if (!response) throw new Error("No request is waiting.");
    return response;
  });

describe("what is not HTTP", () => {
  test.each([
    ["no HTTP at all", "hello\r\n\r\n", 400],
    ["two Host headers", "GET /ok HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n", 400],
    ["a chunk without a size", "POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400],
    ["headers over 16 KiB", `GET /ok HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(16_384)}\r\n\r\n`, 431],
  ])("%s is answered with the error object", async (_case, bytes, status) => {
    const answers = await exchange(server.port, bytes);
    expect(answers).toHaveLength(1);
    const [answer] = answers;
    const { error } = JSON.parse(answer?.body ?? "");
    expect(answer).toMatchObject({
      status,
      headers: {
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        connection: "close",
        date: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/),
      },
    });
    expect(error).toEqual({
      code: "bad_request",
      message: expect.any(String),
      request_id: answer?.headers["x-request-id"],
    });
    expect(isId("req", error.request_id)).toBe(true);
  });

  test("CONNECT is an unknown route", async () => {
    const [answer] = await exchange(server.port, "CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatchObject({ status: 404, body: expect.stringContaining("not_found") });
  });

  test.each([
    "Upgrade: websocket\r\nConnection: close, Upgrade",
    "Expect: 200-ok\r\nConnection: close",
    "Expect: 100-continue\r\nConnection: close",
  ])("an answer of our own in spite of %j", async (headers) => {
    const bytes = `GET /ok HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;
    expect(await exchange(server.port, bytes)).toMatchObject([
      { status: 200, headers: { "x-request-id": expect.any(String) } },
    ]);
  });

  test("a port that is taken is refused", async () => {
    await expect(start(undefined, server.port)).rejects.toThrow("EADDRINUSE");
  });

  test("a request that is being answered gets its answer before the refusal of what follows it", async () => {
    const answers = exchange(server.port, WAIT, "nonsense\r\n\r\n");
    (await nextWaiting()).end("first");
    expect((await answers).map(({ status }) => status)).toEqual([200, 400]);
  });
});

describe("a client that closes its half of the connection", () => {
  test("gets the answers to what it has sent, and then the end", async () => {
    const socket = connect(server.port, "127.0.0.1");
    const bytes = received(socket);
    socket.end(`${WAIT}${OK}`);
    const response = await nextWaiting();
    if (!response.req.socket.readableEnded) await once(response.req.socket, "end");
    response.end("first");
    expect(parseAnswers(await bytes).map(({ status }) => status)).toEqual([200, 200]);
  });

  test("in the middle of a request, gets a refusal", async () => {
    const socket = connect(server.port, "127.0.0.1");
    const bytes = received(socket);
    socket.end("POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
    expect(parseAnswers(await bytes)).toMatchObject([{ status: 400 }]);
  });
});

describe("a request that does not arrive", () => {
  test.each([
    ["its body is missing", "POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"],
    ["its headers are missing", "GET /ok HTTP/1.1\r\nHost: x\r\n"],
  ])("loses its connection when %s", async (_case, bytes) => {
    const impatient = await start(100);
    expect(await exchange(impatient.port, bytes)).toEqual([]);
    await impatient.stop(true);
  });
});

describe("stop", () => {
  /** Opens a connection on which one request has been answered. */
  async function openConnection(port: number) {
    const socket = connect(port, "127.0.0.1");
    const bytes = received(socket);
    socket.write(OK);
    await new Promise((resolve) => socket.once("data", resolve));
    return { socket, bytes };
  }

  test("answers what is under way and what still comes on open connections, with Connection: close", async () => {
    const stopping = await start();
    const busy = connect(stopping.port, "127.0.0.1");
    const answered = received(busy);
    busy.write(WAIT);
    const response = await nextWaiting();
    const open = await openConnection(stopping.port);

    const stopped = stopping.stop();
    open.socket.write(OK);
    const late = parseAnswers(await open.bytes);
    expect(late.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [200, "keep-alive"],
      [200, "close"],
    ]);
    response.end("ok");
    expect(parseAnswers(await answered)).toMatchObject([{ status: 200, headers: { connection: "close" } }]);
    await stopped;
  });

  test("answers what arrived on an open connection before it was closed, however late the process comes to read it", async () => {
    const stopping = await start();
    const open = await openConnection(stopping.port);
    const stopped = stopping.stop(true);
    open.socket.write(OK);
    // Blocks the process until after the time at which idle connections are closed.
    for (const until = performance.now() + 20; performance.now() < until; );
    expect(parseAnswers(await open.bytes)).toMatchObject([{ status: 200 }, { headers: { connection: "close" } }]);
    await stopped;
  });

  test("accepts no new connection", async () => {
    const stopping = await start();
    const open = await openConnection(stopping.port);
    const stopped = stopping.stop(true);
    expect(await exchange(stopping.port, OK)).toEqual([]);
    await open.bytes;
    await stopped;
  });

  test("fast: closes idle connections, then unfinished requests, and then ends a handler that never answers", async () => {
    const stopping = await start();
    const closed: string[] = [];
    const closing = async <T>(name: string, end: Promise<T>) => {
      const received = await end;
      closed.push(name);
      return received;
    };
    const silent = () => closing("silent", exchange(stopping.port));
    const request = "POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab";
    const incomplete = () => closing("incomplete", exchange(stopping.port, request));
    // These surround the others, because connections that are closed at the same time are closed in or against the order of opening.
    const before = [silent(), incomplete()];
    const forgotten = closing("forgotten", exchange(stopping.port, WAIT));
    (await nextWaiting()).writeHead(200, { "content-length": 2 }).flushHeaders();
    const after = [incomplete(), silent()];
    const idle = await openConnection(stopping.port);
    await stopping.stop(true);
    expect(parseAnswers(await idle.bytes)).toHaveLength(1);
    expect(await forgotten).toMatchObject([{ status: 200 }]);
    expect(await Promise.all([...before, ...after])).toEqual(Array(4).fill([]));
    expect(closed).toEqual(["silent", "silent", "incomplete", "incomplete", "forgotten"]);
  });
});
