import { fileURLToPath } from "node:url";
import { createMetrics, type Metrics } from "@shipping/kit/metrics";
import { createApp } from "./app.js";
import type { GatewayDeps } from "./deps.js";
import { listen } from "./listen.js";
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
  const metrics = createMetrics({ part: "gateway", log: deps.log });
  const server = await listen({
    ...config,
    handler: createApp({ ...deps, idempotency, metrics }),
    log: deps.log,
    random: deps.random,
  });
  return {
    port: server.port,
    metrics,
    async stop(hurried) {
      await server.stop(hurried);
      await idempotency.stop();
    },
  };
}
