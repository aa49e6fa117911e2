import type pg from "pg";
import type { z } from "zod";
import { measureClock } from "../postgres/clock.js";
import { type Database, measurePool, openDatabase } from "../postgres/database.js";
import { unappliedMigrations } from "../postgres/migrate.js";
import type { PartPool } from "../postgres/pool.js";
import { requireCompatible } from "../postgres/releases/contractions.js";
import { requireSession } from "../postgres/session.js";
import type { processSettings, serviceSettings } from "../process/config.js";
import { measureProcess, serveOps } from "../process/health.js";
import { createLog, type Log } from "../process/log.js";
import { createMetrics, type Metrics } from "../process/metrics.js";
import { configured, type Running, runProcess, toReason, waitFor } from "../process/run-process.js";
import { requirePostgres } from "../process/supported-versions.js";
import { startTracing } from "../process/tracing.js";
import { RELEASE } from "../release.js";
import { measureRefusals } from "../rpc/interceptors.js";
import { type Routes, serve } from "../rpc/server.js";
import type { Peers } from "../tls/secure-server.js";
import { measureTls, openTls, type Tls } from "../tls/tls.js";

/** A started service: its RPCs, and the function that stops it. */
export interface Service extends Running {
  routes: Routes;
  /** The methods that each part may call, if the parts have certificates. */
  peers: Peers;
  metrics?: Metrics;
}

/** A started part that has opened a public port, and answers the RPCs of other parts at another one. */
export interface PublicService extends Service {
  /** Stops together with the RPCs' port, before the part itself. */
  listener: Running & { port: number };
  /** The port for another part that calls it by HTTP, if there is one. It stops together with them. */
  internalListener?: (Running & { port: number }) | undefined;
  rpcPort: number;
}

type Config = z.output<z.ZodObject<typeof serviceSettings>>;
type ProcessConfig = z.output<z.ZodObject<typeof processSettings>>;

/** The settings that a part's process reads from its environment. */
export interface PartProcess<C extends ProcessConfig = Config> {
  part: string;
  config: C;
  log: Log;
  tls: Tls | undefined;
}

/** Reads the environment of a part's process. An invalid setting ends the process with one sentence and no stack trace. */
export function configureProcess<C extends ProcessConfig>(part: string, read: () => C): PartProcess<C> {
  const config = configured(read);
  const { LOG_LEVEL: level, LOG_LEVEL_REQUESTS: requests, LOG_LEVEL_ATTEMPTS: attempts } = config;
  const levels = { ...(requests && { requests }), ...(attempts && { attempts }) };
  const log = createLog({ part, level, levels, field: config.LOG_LEVEL_FIELD });
  const tls = configured(() => openTls(config, log));
  return { part, config, log, tls };
}

/** A part's process, its database, and the function that starts it. */
export interface ServiceProcess extends PartProcess {
  /** The part's `prisma` folder. The process is ready once these migrations are applied. */
  migrations: string;
  /** Starts the part on its database. `refused` counts the connections and calls of parts that may not make them, at ports that the part opens itself. */
  start(db: Database, counting: { refused: ReturnType<typeof measureRefusals> }): Promise<Service | PublicService>;
  /** Closed after the part: the bus and the connections to other parts. */
  closeLast?: readonly { close(): Promise<void> }[];
}

/** The process of a part that has a public port, but neither a database nor RPCs. */
export interface EdgeProcess extends PartProcess<ProcessConfig> {
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
  const reports = await startReports(
    options,
    async () => undefined,
    () => [options.metrics],
  );
  if (options.tls) measureTls(options.metrics, options.tls);
  const listener = await options.start();
  return reports.serving({ port: listener.port }, async (fast) => {
    await listener.stop(fast);
    await Promise.all(options.closeLast.map((opened) => opened.close()));
  });
}

/** Runs one part as its own process: waits for its database, serves requests and health, and stops on a signal without losing a call. */
export function runService(options: ServiceProcess): Promise<void> {
  return runProcess({ log: options.log, start: (stopping) => startService(options, stopping) });
}

/** Resolves when the part is ready. While it waits for its database, `stopSignal` ends it. */
export async function startService(options: ServiceProcess, stopSignal: AbortSignal): Promise<Running> {
  const { config, log, tls } = options;
  const { DATABASE_URL: url, DATABASE_URL_FILE: urlFile } = config;
  const db = openDatabase(url, { ...(urlFile !== undefined && { urlFile }), max: config.DATABASE_POOL, log });
  let started: Service | PublicService | undefined;
  const metrics = createMetrics({ part: options.part, log });
  measurePool(metrics, db);
  measureClock(metrics, db);
  if (tls) measureTls(metrics, tls);
  const refused = tls ? measureRefusals(metrics) : () => {};
  const allMetrics = () => (started?.metrics ? [metrics, started.metrics] : [metrics]);
  const reports = await startReports(options, () => missingIn(db, options.migrations), allMetrics);

  const attempt = () => requireDatabase(db, options.migrations);
  const postgresql = await waitFor("database", { log, stopping: stopSignal, attempt });
  // Connections for lists are opened first, so that lists have theirs if there are few: the other pool has one already.
  for (const pool of [db.listPool, db.pool]) await openConnections(pool, log);
  const connections = { database_connections: db.listPool.totalCount + db.pool.totalCount };
  const running = await options.start(db, { refused });
  started = running;
  const { routes, peers } = running;
  const { listener, internalListener, rpcPort = config.PORT } = "listener" in running ? running : {};
  const server = await serve({ routes, peers, port: rpcPort, ...hostOf(config), log, metrics, tls, refused });
  const internal = internalListener && { internal_port: internalListener.port };
  const ports = listener ? { port: listener.port, rpc_port: server.port, ...internal } : { port: server.port };
  return reports.serving(
    { ...ports, postgresql, ...connections, max_database_connections: db.maxConnections },
    async (fast) => {
      await Promise.all([server.stop(fast ? 0 : undefined), listener?.stop(fast), internalListener?.stop(fast)]);
      await running.stop(fast);
      await Promise.all((options.closeLast ?? []).map((opened) => opened.close()));
      await db.close();
    },
  );
}

const hostOf = ({ HOST: host }: ProcessConfig) => (host === undefined ? {} : { host });

/** Starts what a process reports: traces, health and metrics. These end after the part. `missing` says why the part cannot take work. */
async function startReports(
  { part, config, log, tls }: PartProcess<ProcessConfig>,
  missing: () => Promise<string | undefined>,
  metrics: () => readonly Metrics[],
) {
  measureProcess(part, config.BUILD_REVISION);
  const tracing = await startTracing({ part, config, log });
  let state: "starting" | "stopping" | undefined = "starting";
  const ready = async () => (state === "stopping" ? state : ((await missing()) ?? state));
  const ops = await serveOps({ port: config.OPS_PORT, ...hostOf(config), log, ready, metrics });
  return {
    /** Reports that the part serves at these ports. */
    serving(ports: object, stopPart: (fast: boolean) => Promise<void>): Running {
      state = undefined;
      log.info({ ...ports, ops_port: ops.port, node: process.versions.node }, "serving");
      return {
        async stop(fast = false) {
          state = "stopping";
          await stopPart(fast);
          await tls?.close();
          await tracing.close();
          await ops.stop();
        },
      };
    },
  };
}

const OPEN_TRIES = 5;

/**
 * Opens all connections of a pool, because on a busy machine that may take longer than the second for which a statement waits. The process
 * starts with fewer if the server does not have as many.
 */
async function openConnections(pool: pg.Pool, log: Log): Promise<void> {
  const opened: pg.PoolClient[] = [];
  for (let failed = 0; opened.length < pool.options.max && failed < OPEN_TRIES; ) {
    try {
      opened.push(await (pool as PartPool).connectOneMore());
    } catch (err) {
      failed++;
      // If there are no more connections, the pool has logged that, and uses those that it has.
      if (opened.length < pool.options.max)
        log.warn({ err, opened: opened.length, max: pool.options.max }, "could not open a database connection");
    }
  }
  for (const client of opened) client.release();
}

/**
 * Returns the reason why a database cannot be used: it is unreachable, or migrations are missing. Newer migrations are fine: that is a
 * rollback.
 */
export async function missingIn(db: Database, migrations: string): Promise<string | undefined> {
  try {
    await requireMigrations(db, migrations);
    return undefined;
  } catch (error) {
    return toReason(error, "database");
  }
}

/** Throws if a starting process cannot use the database; returns the version of its server. */
async function requireDatabase(db: Database, migrations: string): Promise<string> {
  const version = await requirePostgres(db.pool);
  await requireSession(db.pool, { store: true });
  await requireCompatible(db.pool, RELEASE);
  await requireMigrations(db, migrations);
  return version;
}

async function requireMigrations(db: Database, migrations: string): Promise<void> {
  const missing = await unappliedMigrations(db, migrations);
  if (missing.length === 0) return;
  throw new Error(
    `migrations not applied: ${missing.join(", ")}; run migrate of release ${RELEASE} in this part's folder`,
  );
}
