import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, Gauge, register } from "prom-client";
import { RELEASE } from "../release.js";
import { currentEnv } from "./config.js";
import type { Log } from "./log.js";
import type { Metrics } from "./metrics.js";
import { droppedLines } from "./output.js";
import { resourceOf } from "./tracing.js";

/**
 * Serves `/livez`, `/readyz` and `/metrics` over plain HTTP/1.1. `ready` returns a sentence that says what is missing, or undefined if the
 * process can take work. `metrics` are shown after those that every Node process has.
 */
export async function serveOps(options: {
  port: number;
  host?: string;
  log: Log;
  ready(): Promise<string | undefined>;
  metrics?(): readonly Metrics[];
}) {
  const server = createServer((request, response) => {
    answer(request.url ?? "", response).catch((err) => {
      options.log.error({ err }, "ops request failed");
      sendText(response, 500, "failed");
    });
  });

  async function answer(url: string, response: ServerResponse): Promise<void> {
    const path = url.split("?", 1)[0];
    // Reaching this line shows that the event loop runs.
    if (path === "/livez") return sendText(response, 200, "live");
    if (path === "/metrics") return sendText(response, 200, await renderAll(), register.contentType);
    if (path !== "/readyz") return sendText(response, 404, "This port serves /livez, /readyz and /metrics.");
    const missing = await options.ready();
    return sendText(response, missing ? 503 : 200, missing ?? "ready");
  }

  async function renderAll(): Promise<string> {
    const own = (options.metrics?.() ?? []).map((metrics) => metrics.render());
    return underOneHeading([await register.metrics(), ...(await Promise.all(own))]);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Starts to measure the process itself: CPU, memory, event loop, garbage collection. `build` says which release and commit runs. Call it once per
 * process.
 */
export function measureProcess(part: string, revision = "unknown"): void {
  register.setDefaultLabels({ part });
  collectDefaultMetrics();
  new Gauge({
    name: "build_info",
    help: "Always 1. Its version and revision say which release and commit run.",
    labelNames: ["version", "revision"],
  }).set({ version: RELEASE, revision }, 1);
  const resource = Object.entries(resourceOf(part, currentEnv())).map(([name, value]) => [
    name.replace(/^\d|\W/g, "_"),
    value,
  ]);
  new Gauge({
    name: "target_info",
    help: "Always 1. Describes this process with the attributes that it has in traces.",
    labelNames: resource.map(([name]) => String(name)),
  }).set(Object.fromEntries(resource), 1);
  new Gauge({
    name: "log_lines_dropped",
    help: "Log lines dropped since the start, because the reader was too slow.",
    collect() {
      this.set(droppedLines());
    },
  });
}

/** Several parts in one process measure the same names. The format requires the samples of a name to stand together, under one heading. */
function underOneHeading(texts: readonly string[]): string {
  const samplesByHeading = new Map<string, string>();
  for (const text of texts) {
    for (const family of text.split(/^(?=# HELP )/m)) {
      const [, heading = "", samples = ""] = /^((?:#[^\n]*\n)*)(.*)$/s.exec(family) ?? [];
      samplesByHeading.set(heading, `${samplesByHeading.get(heading) ?? ""}${samples.trim()}\n`);
    }
  }
  return [...samplesByHeading].map(([heading, samples]) => `${heading}${samples}`).join("\n");
}

function sendText(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}
