import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import express, { type Express } from "express";
import { silentLog } from "../../process/log.js";
import { createMetrics, type Metrics } from "../../process/metrics.js";
import { eventually } from "../../testing/eventually.js";
import { exchange } from "../../testing/raw-http.js";
import { samplesIn } from "../../testing/samples.js";
import { type Application, createPublicListener, type ListenerOptions } from "./public-listener.js";

/** An application that answers every path with its name, and `/large` paths with more than a connection buffers. */
function application(name: string, given: Partial<Application> = {}): Application & { seen: boolean[] } {
  const app: Express = express();
  const seen: boolean[] = [];
  app.use((req, res) => {
    seen.push(Object.getPrototypeOf(req) === app.request && Object.getPrototypeOf(res) === app.response);
    if (req.path.endsWith("/large")) return void res.end(Buffer.alloc(LARGE));
    if (req.path.endsWith("/wait")) return;
    res.end(`${name} ${req.url}`);
  });
  return { app, seen, accountOf: () => undefined, isDelaying: () => false, ...given };
}

const LARGE = 32 * 1024 * 1024;

const waitingBytes = async (metrics: Metrics) =>
  samplesIn(await metrics.render())['http_bytes_waiting{part="gateway"}'];

function listener(given: Partial<ListenerOptions> = {}) {
  const log = silentLog();
  const metrics = createMetrics({ part: "gateway", log, cacheMs: 0 });
  return {
    metrics,
    ...createPublicListener({ port: 0, host: "127.0.0.1", log, random: randomBytes, metrics, ...given }),
  };
}

const headOf = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const get = async (port: number, target: string) => (await exchange(port, headOf(target)))[0]?.body;

test("each application answers its own paths, with its own prototypes", async () => {
  const [gateway, portal] = [application("gateway"), application("portal")];
  const { start, ownOrigin } = listener();
  const server = await start({ gateway, portal });
  expect(ownOrigin()).toBe(`http://127.0.0.1:${server.port}`);
  expect(await get(server.port, "/api/v1/orders?a=b")).toBe("gateway /api/v1/orders?a=b");
  expect(await get(server.port, "/docs?a=b")).toBe("portal /docs?a=b");
  expect(await get(server.port, "HTTPS://a.example:1/developers/x?y")).toBe("portal /developers/x?y");
  expect(await get(server.port, "/api")).toBe("gateway /api");
  expect([gateway.seen, portal.seen]).toEqual([
    [true, true],
    [true, true],
  ]);
  await server.stop(true);
});

test("an application that is alone answers all paths", async () => {
  for (const part of ["gateway", "portal"] as const) {
    const server = await listener().start({ [part]: application(part) });
    for (const path of ["/docs", "/api"]) expect(await get(server.port, path)).toBe(`${part} ${path}`);
    await server.stop(true);
  }
});

/** Opens a connection that sends a request and reads nothing. */
function open(port: number, target: string): Socket {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {}).write(headOf(target));
  return socket;
}

test("unread bytes of all applications count together, by the accounts that these name", async () => {
  const { start, metrics } = listener({ unreadLimits: { total: 3 * LARGE, perAccount: LARGE } });
  const account = (name: string) => ({ accountOf: (locals: object) => `${name} ${Object.keys(locals)}` });
  const server = await start({
    gateway: application("gateway", account("a")),
    portal: application("portal", account("a")),
  });
  const cut = async () => samplesIn(await metrics.render())['http_answers_cut{part="gateway"}'];
  const first = open(server.port, "/api/large");
  await eventually(async () => expect(await waitingBytes(metrics)).toBeGreaterThan(0));
  expect(await cut()).toBe(0);
  const second = open(server.port, "/docs/large");
  await eventually(async () => expect(await cut()).toBe(1));
  for (const socket of [first, second]) socket.resetAndDestroy();
  await server.stop(true);
});

test("to make room, a connection is closed whose response any of the applications delays", async () => {
  const { start } = listener({ maxConnections: 2 });
  const isDelaying = ({ req }: ServerResponse) => req.url === "/docs/wait";
  const portal = application("portal", { isDelaying });
  const gateway = application("gateway");
  const server = await start({ gateway, portal });
  const [delayed, busy] = ["/docs/wait", "/api/wait"].map((path) => open(server.port, path).resume());
  await eventually(() => expect([portal.seen, gateway.seen]).toEqual([[true], [true]]));
  const third = open(server.port, "/api/wait").resume();
  await eventually(() => expect(gateway.seen).toHaveLength(2));
  await eventually(() => expect(delayed?.closed).toBe(true));
  expect([busy?.closed, third.closed]).toEqual([false, false]);
  for (const socket of [busy, third]) socket?.resetAndDestroy();
  await server.stop(true);
});
