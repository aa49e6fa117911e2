import { fileURLToPath } from "node:url";
import { createMetrics, type Metrics } from "@shipping/kit/metrics";
import { createApp } from "./app.js";
import { createBulkhead, DEFAULT_LIMITS, measureBulkhead } from "./bulkhead.js";
import type { GatewayDeps } from "./deps.js";
import { sweepAccess } from "./developers/sweep-access.js";
import { listen } from "./listen.js";
import { recordChanges } from "./record-changes.js";
import { startIdempotency } from "./start-idempotency.js";

/** Where the gateway keeps its schema and migrations. */
export const gatewayMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

/** A gateway that takes requests. */
export interface Gateway {
  port: number;
  /** What it counts of the requests. */
  metrics: Metrics;
  /** Answers what is under way, then writes the done marks that are queued. */
  stop(hurried?: boolean): Promise<void>;
}

/** Starts the public side of the platform. */
export async function startGateway(config: { port: number; host?: string }, deps: GatewayDeps): Promise<Gateway> {
  const idempotency = startIdempotency(deps);
  const recording = recordChanges(deps);
  let port = config.port;
  const metrics = createMetrics({ part: "gateway", log: deps.log });
  const limits = deps.concurrency ?? DEFAULT_LIMITS;
  const bulkhead = createBulkhead(limits);
  measureBulkhead(metrics, bulkhead, limits);
  const app = createApp({
    ...deps,
    idempotency,
    bulkhead,
    metrics,
    ownOrigin: () => `http://127.0.0.1:${port}`,
    wakeAudit: recording.wake,
  });
  const server = await listen({ ...config, ...app, log: deps.log, random: deps.random });
  port = server.port;
  const sweeping = sweepAccess(deps);
  return {
    port,
    metrics,
    async stop(hurried) {
      await server.stop(hurried);
      await Promise.all([sweeping.stop(), recording.stop()]);
      await idempotency.stop();
    },
  };
}
