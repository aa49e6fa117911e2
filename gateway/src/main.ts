import "@shipping/kit/process/require-node";
import { createPublicListener } from "@shipping/kit/http/server/public-listener";
import { pooledRandom } from "@shipping/kit/ids";
import { createMetrics } from "@shipping/kit/process/metrics";
import { connectTo } from "@shipping/kit/rpc/client";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { gatewayConfig, toEdgeDeps } from "./config.js";
import { gatewayMigrations, openPrisma } from "./database/deps.js";
import { gatewayPeers } from "./rpc.js";
import { createClients } from "./service-clients/clients.js";
import { internalPeers, startGateway } from "./start-gateway.js";

const gateway = configureProcess("gateway", gatewayConfig);
const { config, log, tls } = gateway;
const records = connectTo({ urls: config.RECORDS_URL, log, tls });
const carrier = connectTo({ urls: config.CARRIER_URL, log, tls });
const tracking = connectTo({ urls: config.TRACKING_URL, log, tls });
const webhooks = connectTo({ urls: config.WEBHOOKS_URL, log, tls });

await runService({
  ...gateway,
  migrations: gatewayMigrations,
  async start(db, { refused }) {
    const prisma = openPrisma(db);
    const edge = toEdgeDeps(config);
    const common = { log, random: pooledRandom, metrics: createMetrics({ part: "gateway", log }) };
    const { HOST: host, PORT: port, RPC_PORT: rpcPort, INTERNAL_PORT: internalPort } = config;
    const publicListener = createPublicListener({ ...common, host, port, strictTransport: edge.strictTransport });
    const { application, internal, routes, stop } = startGateway({
      ...common,
      ...edge,
      db,
      prisma,
      clients: createClients({ records, carrier, tracking, webhooks }),
      ownOrigin: publicListener.ownOrigin,
      now: () => new Date(),
      clockOffsetMs: 0,
      requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
      bulkheadLimits: { total: config.CONCURRENCY_LIMIT, perAccount: config.ACCOUNT_CONCURRENCY_LIMIT },
      paceLimits: {
        perSecond: config.ADDRESS_REQUESTS_PER_SECOND,
        burst: Math.ceil(config.ADDRESS_REQUESTS_PER_SECOND / 2),
      },
    });
    const listener = await publicListener.start({ gateway: application });
    const secure = tls && { tls, peers: internalPeers, refused };
    const internalListener =
      internalPort === undefined
        ? undefined
        : await publicListener.startInternal(internal, { port: internalPort, host, secure });
    return {
      listener,
      internalListener,
      rpcPort,
      routes,
      peers: gatewayPeers,
      metrics: common.metrics,
      stop: (fast) => stop(fast).finally(() => prisma.$disconnect()),
    };
  },
  closeLast: [records, carrier, tracking, webhooks],
});
