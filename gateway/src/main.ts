import "@shipping/kit/process/require-node";
import { pooledRandom } from "@shipping/kit/ids";
import { measurePool, openDatabase } from "@shipping/kit/postgres/database";
import { measureClock } from "@shipping/kit/postgres/measure-clock";
import { measureProcess, serveOps } from "@shipping/kit/process/health";
import { createLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { configured, type Running, runProcess, waitFor } from "@shipping/kit/process/run-process";
import { startTracing } from "@shipping/kit/process/tracing";
import { connectTo } from "@shipping/kit/rpc/client";
import { faultPointsOf, transportWithFaultPoints } from "@shipping/kit/service/fault-points";
import { missingIn, requireDatabase } from "@shipping/kit/service/run-service";
import { measureTls, openTls } from "@shipping/kit/tls/tls";
import { gatewayConfig, MIB } from "./config.js";
import { openPrisma } from "./database/open-prisma.js";
import { developerDepsOf } from "./developers/session/settings.js";
import { preparePages } from "./openapi/serve-pages.js";
import { createClients } from "./service-clients/clients.js";
import { gatewayMigrations, startGateway } from "./start-gateway.js";

const config = configured(gatewayConfig);
const log = createLog({ part: "gateway", level: config.LOG_LEVEL });
const tls = configured(() => openTls(config, log));

await runProcess({ log, start });

async function start(stopping: AbortSignal): Promise<Running> {
  const host = config.HOST === undefined ? {} : { host: config.HOST };
  measureProcess("gateway");
  const tracing = await startTracing({ part: "gateway", config, log });
  const db = openDatabase(config.DATABASE_URL, { max: config.DATABASE_POOL, log });
  const prisma = openPrisma(db);
  const faultPoints = configured(() => faultPointsOf(config));
  const transports = {
    records: connectTo({ urls: config.RECORDS_URL, log, tls }),
    carrier: connectTo({ urls: config.CARRIER_URL, log, tls }),
    tracking: connectTo({ urls: config.TRACKING_URL, log, tls }),
    webhooks: connectTo({ urls: config.WEBHOOKS_URL, log, tls }),
  };
  let state: "starting" | "ready" | "stopping" = "starting";
  const ready = async () => (state === "ready" ? await missingIn(db, gatewayMigrations) : state);
  const metrics = createMetrics({ part: "gateway", log });
  measurePool(metrics, db);
  measureClock(metrics, db);
  if (tls) measureTls(metrics, tls);
  const allMetrics = [metrics];
  const ops = await serveOps({ port: config.OPS_PORT, ...host, log, ready, metrics: () => allMetrics });

  const attempt = () => requireDatabase(db, gatewayMigrations);
  const postgresql = await waitFor("database", { log, stopping, attempt });
  const gateway = await startGateway(
    {
      port: config.PORT,
      ...host,
      connectionLimit: config.CONNECTION_LIMIT,
      stallMs: config.STALLED_ANSWER_SECONDS * 1_000,
    },
    {
      db,
      prisma,
      log,
      clients: createClients({
        records: transportWithFaultPoints(transports.records, faultPoints),
        carrier: transportWithFaultPoints(transports.carrier, faultPoints),
        tracking: transports.tracking,
        webhooks: transportWithFaultPoints(transports.webhooks, faultPoints),
      }),
      now: () => new Date(),
      random: pooledRandom,
      clockOffsetMs: 0,
      requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
      unread: { inAll: config.UNREAD_MIB_LIMIT * MIB, ofAccount: config.ACCOUNT_UNREAD_MIB_LIMIT * MIB },
      concurrency: { inAll: config.CONCURRENCY_LIMIT, ofAccount: config.ACCOUNT_CONCURRENCY_LIMIT },
      paceLimits: {
        perSecond: config.ADDRESS_REQUESTS_PER_SECOND,
        burst: Math.ceil(config.ADDRESS_REQUESTS_PER_SECOND / 2),
      },
      ...developerDepsOf(config),
    },
  );
  allMetrics.push(gateway.metrics);
  preparePages();
  state = "ready";
  log.info({ port: gateway.port, ops_port: ops.port, postgresql, node: process.versions.node }, "serving");

  return {
    async stop(fast) {
      state = "stopping";
      await gateway.stop(fast);
      await Promise.all(Object.values(transports).map((transport) => transport.close()));
      await prisma.$disconnect();
      await db.close();
      await tls?.close();
      await tracing.close();
      await ops.stop();
    },
  };
}
