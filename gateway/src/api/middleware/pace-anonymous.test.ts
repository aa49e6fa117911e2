import { once } from "node:events";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import type { Pace } from "../../admission/pace.js";
import { paceAnonymous, sendError } from "./refuse-request.js";

interface Waiting {
  response: ServerResponse;
  give(turn: Awaited<ReturnType<Pace["admit"]>>): void;
}

/** Serves a document whose requests wait until the test gives each its turn. */
async function serving(answer: RequestHandler) {
  const waiting: Waiting[] = [];
  const admit: Pace["admit"] = (_address, response) => new Promise((give) => waiting.push({ response, give }));
  const deps = {
    pace: { admit } as Pace,
    log: silentLog(),
    trustedProxies: { count: 0, header: "x-forwarded-for" },
  } as const;
  const app = express();
  app.use(paceAnonymous(deps));
  app.get("/", answer);
  app.use(sendError(deps) as ErrorRequestHandler);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    waiting,
    nextWaiting: () =>
      eventually(() => {
        const first = waiting.shift();
        if (!first) throw new Error("No request is waiting.");
        return first;
      }),
    send: () => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } }),
    end: () => void server.close(),
  };
}

test("a document is sent when its turn has come, and its log line can say how long it waited", async () => {
  const site = await serving((_req, res) => void res.json({ pacedMs: res.locals.pacedMs }));
  const sent = site.send();
  (await site.nextWaiting()).give({ waitedMs: 12, isDue: true });
  expect(await (await sent).json()).toEqual({ pacedMs: 12 });
  site.end();
});

test("a document whose turn has not come in time is refused with 429, without a second wait", async () => {
  const site = await serving((_req, res) => void res.end());
  const sent = site.send();
  (await site.nextWaiting()).give({ waitedMs: 10_000, isDue: false });
  const answer = await sent;
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await answer.json()).toMatchObject({ error: { code: "rate_limited" } });
  expect(site.waiting).toEqual([]);
  site.end();
});

test("no document is made for a client that has gone before its turn", async () => {
  const made: ServerResponse[] = [];
  const site = await serving((_req, res) => {
    made.push(res);
    res.end();
  });
  const leaving = get({ port: site.port, host: "127.0.0.1" }).on("error", () => {});
  const gone = await site.nextWaiting();
  leaving.destroy();
  await eventually(() => expect(gone.response.destroyed).toBe(true));
  gone.give({ waitedMs: 1, isDue: true });
  const sent = site.send();
  const staying = await site.nextWaiting();
  staying.give({ waitedMs: 1, isDue: true });
  await sent;
  expect(made).toEqual([staying.response]);
  site.end();
});
