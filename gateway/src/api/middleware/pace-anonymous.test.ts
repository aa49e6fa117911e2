import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import express, { type RequestHandler } from "express";
import { createPace, DEFAULT_PACE } from "../../admission/pace.js";
import { spendCpu } from "../../testing/spend-cpu.js";
import type { ApiDeps } from "../deps.js";
import { paceAnonymous } from "./refuse-request.js";

const later = () => new Promise((resolve) => setImmediate(resolve));

const pages: Record<string, RequestHandler> = {
  "a form whose handler works before it waits": async (_req, res) => {
    spendCpu(80);
    await later();
    res.end();
  },
  "a form whose handler works after it has waited": async (_req, res) => {
    await later();
    spendCpu(80);
    res.end();
  },
  "a form whose handler fails after that": async () => {
    await later();
    spendCpu(80);
    throw new Error("This is what happens after the work.");
  },
};

test.each(Object.entries(pages))("an address pays for %s", async (_name, page) => {
  const app = express();
  // The clock stands still, so a slow machine changes nothing. 80 ms at a tenth of a CPU count as 800 ms, and the burst covers 500 ms.
  const pace = createPace(DEFAULT_PACE, () => 0);
  app.use(paceAnonymous({ pace, trustedProxies: { count: 0 } } as unknown as ApiDeps) as unknown as RequestHandler);
  app.post("/", page);
  app.use(((_error, _req, res, _next) => void res.status(500).end()) as express.ErrorRequestHandler);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const send = () =>
    fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "a=b", headers: { connection: "close" } });
  try {
    await send();
    const second = send();
    await eventually(() => expect(pace.waiting()).toBe(1));
    await second;
  } finally {
    server.close();
  }
});
