import { type Database, measurePool, openDatabase } from "../postgres/database.js";
import { measureClock } from "../postgres/measure-clock.js";
import { unappliedMigrations } from "../postgres/migrate.js";
import { measureProcess, serveOps } from "../process/health.js";
import type { Log } from "../process/log.js";
import { createMetrics, type Metrics } from "../process/metrics.js";
import { type Running, runProcess, toReason, waitFor } from "../process/run-process.js";
import { requirePostgres } from "../process/supported-versions.js";
import { startTracing } from "../process/tracing.js";
import { type Routes, serve } from "../rpc/server.js";
import type { Peers } from "../tls/peers.js";
import { measureTls, type Tls } from "../tls/tls.js";

/** A started service: its RPCs, and how it stops. */
export interface Service extends Running {
  routes: Routes;
  /** Which part may call which of them, if the parts have certificates. */
  peers: Peers;
  /** Its metrics, in addition to those that every process has. */
  metrics?: Metrics;
}

/** What a service's process needs from its environment. */
export interface ServiceProcess {
  part: string;
  config: {
    DATABASE_URL: string;
    DATABASE_POOL: number;
    PORT: number;
    OPS_PORT: number;
    HOST?: string | undefined;
    OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
    OTEL_TRACES_SAMPLER_ARG: number;
  };
  log: Log;
  /** Its certificates, if the parts speak TLS to each other. */
  tls: Tls | undefined;
  /** Its `prisma` folder. The process is ready once these migrations are applied. */
  migrations: string;
  /** Starts the service on its database. */
  start(db: Database): Promise<Service>;
  /** Closed after the service: the bus and the connections to other parts. */
  closeLast?: readonly { close(): Promise<void> }[];
}

/** Runs one service as its own process: waits for its database, serves RPC and health, and stops on a signal without losing a call. */
export function runService(options: ServiceProcess): Promise<void> {
  return runProcess({ log: options.log, start: (stopping) => startService(options, stopping) });
}

async function startService(options: ServiceProcess, stopSignal: AbortSignal): Promise<Running> {
  const { config, log, tls } = options;
  const host = config.HOST === undefined ? {} : { host: config.HOST };
  measureProcess(options.part);
  const tracing = await startTracing(options);
  const db = openDatabase(config.DATABASE_URL, { max: config.DATABASE_POOL, log });
  let state: "starting" | "serving" | "stopping" = "starting";
  const ready = async () => (state === "serving" ? await missingIn(db, options.migrations) : state);
  let service: Service | undefined;
  const metrics = createMetrics({ part: options.part, log });
  measurePool(metrics, db);
  measureClock(metrics, db);
  if (tls) measureTls(metrics, tls);
  const allMetrics = () => (service?.metrics ? [metrics, service.metrics] : [metrics]);
  const ops = await serveOps({ port: config.OPS_PORT, ...host, log, ready, metrics: allMetrics });

  const attempt = () => requireDatabase(db, options.migrations);
  const postgresql = await waitFor("database", { log, stopping: stopSignal, attempt });
  const started = await options.start(db);
  service = started;
  const { routes, peers } = started;
  const rpc = await serve({ routes, peers, port: config.PORT, ...host, log, metrics, tls });
  state = "serving";
  log.info({ port: rpc.port, ops_port: ops.port, postgresql, node: process.versions.node }, "serving");

  return {
    async stop(fast = false) {
      state = "stopping";
      await rpc.stop(fast ? 0 : undefined);
      await started.stop(fast);
      await Promise.all((options.closeLast ?? []).map((opened) => opened.close()));
      await db.close();
      await tls?.close();
      await tracing.close();
      await ops.stop();
    },
  };
}

/** Returns why a database cannot be used: it is unreachable, or migrations are missing. Newer migrations are fine: that is a rollback. */
export async function missingIn(db: Database, migrations: string): Promise<string | undefined> {
  try {
    await requireMigrations(db, migrations);
    return undefined;
  } catch (error) {
    return toReason(error, "database");
  }
}

/** Throws if a starting process cannot use the database; returns the version of its server. */
export async function requireDatabase(db: Database, migrations: string): Promise<string> {
  const version = await requirePostgres(db.pool);
  await requireMigrations(db, migrations);
  return version;
}

async function requireMigrations(db: Database, migrations: string): Promise<void> {
  const missing = await unappliedMigrations(db, migrations);
  if (missing.length > 0) throw new Error(`migrations not applied: ${missing.join(", ")}`);
}
