import "@shipping/kit/process/require-node";
import { createPublicListener } from "@shipping/kit/http/server/public-listener";
import { pooledRandom } from "@shipping/kit/ids";
import { createMetrics } from "@shipping/kit/process/metrics";
import { endFor } from "@shipping/kit/process/run-process";
import { connectTo } from "@shipping/kit/rpc/client";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { createClients } from "./clients.js";
import { portalConfig } from "./config.js";
import { openPrisma, portalMigrations } from "./database/deps.js";
import { toAreaDeps } from "./session/settings.js";
import { portalPeers, startPortal } from "./start-portal.js";

const portal = configureProcess("portal", portalConfig);
const { config, log, tls } = portal;
const gateway = connectTo({ urls: config.GATEWAY_URL, log, tls });
const records = connectTo({ urls: config.RECORDS_URL, log, tls });
const carrier = connectTo({ urls: config.CARRIER_URL, log, tls });
const tracking = connectTo({ urls: config.TRACKING_URL, log, tls });
const webhooks = connectTo({ urls: config.WEBHOOKS_URL, log, tls });

await runService({
  ...portal,
  migrations: portalMigrations,
  async start(db) {
    const prisma = openPrisma(db);
    const area = toAreaDeps(config);
    const common = { log, random: pooledRandom, metrics: createMetrics({ part: "portal", log }) };
    const { HOST: host, PORT: port, RPC_PORT: rpcPort } = config;
    const publicListener = createPublicListener({ ...common, host, port, strictTransport: area.strictTransport });
    const { application, routes, stop } = startPortal({
      ...common,
      ...area,
      ...createClients({ gateway, records, carrier, tracking, webhooks }),
      db,
      prisma,
      ownOrigin: publicListener.ownOrigin,
      now: () => new Date(),
      clockOffsetMs: 0,
    });
    const listener = await publicListener.start({ portal: application });
    // The process is ready meanwhile, and requests for documents wait for this.
    application.renderSite().catch((err) => endFor(err, log));
    return {
      listener,
      rpcPort,
      routes,
      peers: portalPeers,
      metrics: common.metrics,
      stop: (fast) => stop(fast).finally(() => prisma.$disconnect()),
    };
  },
  closeLast: [gateway, records, carrier, tracking, webhooks],
});
