import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { createLog, silentLog } from "../../process/log.js";
import { createMetrics } from "../../process/metrics.js";
import { eventually } from "../../testing/eventually.js";
import { samplesIn } from "../../testing/samples.js";
import { type Connections, createConnections, measureConnections } from "./connections.js";
import { type HttpServer, listen } from "./listen.js";

const LIMIT = 5;

let server: HttpServer;
let connections: Connections;
/** Unanswered requests for `/wait`. */
let waiting: ServerResponse[];
let warnings: string[];
beforeEach(async () => {
  waiting = [];
  warnings = [];
  const write = (line: string) => void warnings.push(JSON.parse(line).msg);
  connections = createConnections(LIMIT);
  server = await listen({
    handler: (req, res) => void (req.url === "/wait" ? waiting.push(res) : req.method === "GET" && res.end("ok")),
    port: 0,
    host: "127.0.0.1",
    log: createLog({ part: "gateway", level: "warn", destination: { write } }),
    random: randomBytes,
    connections,
  });
});
afterEach(() => server.stop(true));

/** Opens a connection and sends these bytes. Resolves when the server has them. */
async function open(bytes = ""): Promise<Socket> {
  const { open: before, closed } = connections.load();
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {}).on("data", () => {});
  if (bytes) socket.write(bytes);
  await eventually(() => expect(connections.load()).not.toEqual({ open: before, closed }));
  return socket;
}

/** Opens a connection that waits for its next request. */
async function answered(): Promise<Socket> {
  const socket = await open("GET /ok HTTP/1.1\r\nHost: x\r\n\r\n");
  await eventually(() => expect(socket.bytesRead).toBeGreaterThan(0));
  return socket;
}

/** Opens a connection whose request is in progress. */
async function atWork(): Promise<Socket> {
  const before = waiting.length;
  const socket = await open("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  await eventually(() => expect(waiting).toHaveLength(before + 1));
  return socket;
}

const slow = () => open("POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{");

test("an unused connection makes room, the oldest first; then a slow one, then an idle one", async () => {
  const kept = await atWork();
  const idle = await answered();
  const sending = await slow();
  const all = [kept, idle, sending, await open(), await open("GET /half")];
  for (const gone of [[3], [3, 4], [2, 3, 4], [1, 2, 3, 4]]) {
    await atWork();
    await eventually(() => expect(all.flatMap(({ closed }, place) => (closed ? [place] : []))).toEqual(gone));
  }
  const answer = once(kept, "data");
  waiting[0]?.end("ok");
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 /);
  expect(connections.load()).toEqual({ open: LIMIT, closed: 4 });
  expect(warnings).toEqual(["connections are closed to make room for others"]);
});

test("a client that does not take its answer is slow", async () => {
  const unread = await atWork();
  unread.pause();
  waiting[0]?.end(Buffer.alloc(16 * 1024 * 1024));
  const working = [];
  for (let n = 1; n <= LIMIT; n++) working.push(await atWork());
  expect(working.filter(({ closed }) => closed)).toEqual([]);
  expect(connections.load()).toEqual({ open: LIMIT, closed: 1 });
});

/** A connection with a response that has not ended, to a request that has arrived completely unless it is slow. */
function connectionIn(few: Connections, isSlow = false) {
  const socket = new Socket();
  few.add(socket);
  const begin = () => {
    const state = { req: { complete: !isSlow }, writableEnded: false, writableFinished: false };
    const response = Object.assign(new EventEmitter(), state) as unknown as ServerResponse & EventEmitter;
    few.begin({ socket } as IncomingMessage, response);
    return response;
  };
  return { socket, begin, response: begin() };
}

const finish = (response: ServerResponse) => Object.assign(response, { writableFinished: true }).emit("finish");

test("of idle connections, the one that has waited longest makes room; if all are busy, the new one is closed", () => {
  const few = createConnections(2);
  const [first, second] = [connectionIn(few), connectionIn(few)];
  for (const { response } of [second, first]) finish(response);
  const third = connectionIn(few);
  first.begin();
  const late = new Socket();
  few.add(late);
  expect([first, second, third].map(({ socket }) => socket.destroyed)).toEqual([false, true, false]);
  expect([late.destroyed, few.load()]).toEqual([true, { open: 2, closed: 2 }]);
});

test("an earlier response that ends after the next request has begun does not affect its connection's rank", () => {
  const few = createConnections(2);
  const first = connectionIn(few, true);
  first.begin();
  const second = connectionIn(few, true);
  finish(first.response);
  const third = new Socket();
  few.add(third);
  expect([first.socket, second.socket, third].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
});

test("a connection that is closed is none of those that are open, and has no response", async () => {
  const few = createConnections(1);
  const { socket, begin, response } = connectionIn(few);
  expect([[...few], few.latest(socket)]).toEqual([[[socket, response]], response]);
  socket.destroy();
  await once(socket, "close");
  begin();
  expect([[...few], few.latest(socket)]).toEqual([[], undefined]);
});

test("connections are measured", async () => {
  const metrics = createMetrics({ part: "test", log: silentLog(), cacheMs: 0 });
  const few = createConnections(1);
  measureConnections(metrics, few, 7);
  for (let n = 0; n < 3; n++) few.add(new Socket());
  expect(samplesIn(await metrics.render())).toEqual({
    'http_connections{part="test"}': 1,
    'http_connections_max{part="test"}': 7,
    'http_connections_closed{part="test"}': 2,
  });
});
