import { randomBytes } from "node:crypto";
import express from "express";
import { register } from "prom-client";
import { z } from "zod";
import { createPublicListener } from "../http/server/public-listener.js";
import { processSettings, readConfig } from "../process/config.js";
import { createLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { RELEASE } from "../release.js";
import { eventually } from "../testing/eventually.js";
import { startEdge } from "./run-service.js";

afterEach(() => register.clear());

test("a part without a database is ready once its port is open, and stops when its requests are answered", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ part: "edge", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const metrics = createMetrics({ part: "edge", log });
  let answer = () => {};
  const app = express();
  app.use(async (_req, res) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    res.end("answered");
  });
  const ended: string[] = [];
  const running = await startEdge({
    ...{ part: "edge", log, metrics, tls: undefined },
    config: readConfig(z.object(processSettings), {
      ...{ OPS_PORT: "0", HOST: "127.0.0.1" },
      BUILD_REVISION: "abcdef0",
    }),
    start: () => {
      const listener = createPublicListener({ port: 0, host: "127.0.0.1", log, random: randomBytes, metrics });
      return listener.start({ mcp: { app, accountOf: () => undefined, isDelaying: () => false } });
    },
    closeLast: [{ close: async () => void ended.push("connections") }],
  });
  const { port, ops_port: opsPort } = lines.find(({ msg }) => msg === "serving") ?? {};
  const ops = (path: string) =>
    fetch(`http://127.0.0.1:${opsPort}${path}`).then(async (got) => [got.status, await got.text()]);
  expect(await ops("/readyz")).toEqual([200, "ready"]);
  const [, shown] = await ops("/metrics");
  expect(shown).toContain("http_connections");
  const [info = ""] = /^build_info.* 1$/m.exec(String(shown)) ?? [];
  for (const label of [`version="${RELEASE}"`, 'revision="abcdef0"', 'part="edge"']) expect(info).toContain(label);
  const asked = fetch(`http://127.0.0.1:${port}/`).then((got) => got.text());
  const waiting = answer;
  await eventually(() => expect(answer).not.toBe(waiting));
  const stopped = running.stop(true).then(() => ended.push("stopped"));
  expect(await ops("/readyz")).toEqual([503, "stopping"]);
  expect(ended).toEqual([]);
  answer();
  expect(await asked).toBe("answered");
  await stopped;
  expect(ended).toEqual(["connections", "stopped"]);
});
