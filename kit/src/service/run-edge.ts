import type { z } from "zod";
import type { processSettings } from "../process/config.js";
import { measureProcess, serveOps } from "../process/health.js";
import type { Metrics } from "../process/metrics.js";
import { type Running, runProcess } from "../process/run-process.js";
import { startTracing } from "../process/tracing.js";
import { measureTls } from "../tls/tls.js";
import type { PartProcess } from "./run-service.js";

/** The process of a part that has a public port, but neither a database nor RPCs. */
export interface EdgeProcess extends PartProcess<z.output<z.ZodObject<typeof processSettings>>> {
  metrics: Metrics;
  /** Opens the public port. It is closed when the requests in progress are answered. */
  start(): Promise<Running & { port: number }>;
  /** Closed after the port: the connections to other parts. */
  closeLast: readonly { close(): Promise<void> }[];
}

/** Runs it until a signal stops it. It is ready as long as its port is open: without the parts that it calls, it answers 503 itself. */
export function runEdge(options: EdgeProcess): Promise<void> {
  return runProcess({ log: options.log, start: () => startEdge(options) });
}

/** Resolves when the port is open. */
export async function startEdge(options: EdgeProcess): Promise<Running> {
  const { config, log, tls, metrics } = options;
  measureProcess(options.part, { version: config.BUILD_VERSION, revision: config.BUILD_REVISION });
  const tracing = await startTracing(options);
  if (tls) measureTls(metrics, tls);
  let isReady = false;
  const ready = async () => (isReady ? undefined : "stopping");
  const host = config.HOST === undefined ? {} : { host: config.HOST };
  const listener = await options.start();
  const ops = await serveOps({ port: config.OPS_PORT, ...host, log, ready, metrics: () => [metrics] });
  isReady = true;
  log.info({ port: listener.port, ops_port: ops.port, node: process.versions.node }, "serving");

  return {
    async stop(fast = false) {
      isReady = false;
      await listener.stop(fast);
      await Promise.all(options.closeLast.map((opened) => opened.close()));
      await tls?.close();
      await tracing.close();
      await ops.stop();
    },
  };
}
