import { randomBytes } from "node:crypto";
import { createClient, type Transport } from "@connectrpc/connect";
import { startCarrier } from "@shipping/carrier/start-carrier";
import type { PaceLimits } from "@shipping/gateway/admission/pace";
import type { EdgeDeps } from "@shipping/gateway/api/deps";
import { openPrisma } from "@shipping/gateway/database/deps";
import type { PrismaClient } from "@shipping/gateway/gen/prisma/client";
import { createClients } from "@shipping/gateway/service-clients/clients";
import { startGateway } from "@shipping/gateway/start-gateway";
import { createPublicListener } from "@shipping/kit/http/server/public-listener";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import { createMetrics, type Metrics } from "@shipping/kit/process/metrics";
import type { Running } from "@shipping/kit/process/run-process";
import { inProcess, serve } from "@shipping/kit/rpc/server";
import type { Service } from "@shipping/kit/service/run-service";
import type { McpSettingsDeps } from "@shipping/mcp/deps";
import { createClients as createPortalClients } from "@shipping/portal/clients";
import { openPrisma as openPortalPrisma } from "@shipping/portal/database/deps";
import type { AreaSettingsDeps } from "@shipping/portal/session/settings";
import { startPortal } from "@shipping/portal/start-portal";
import type { PartName } from "@shipping/proto/parts";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { startRecords } from "@shipping/records/start-records";
import { startTracking } from "@shipping/tracking/start-tracking";
import type { DeliveryConfig } from "@shipping/webhooks/config";
import { startWebhooks } from "@shipping/webhooks/start-webhooks";
import type { SubscribableBus } from "@shipping/webhooks/stream/inbox";
import { mapParts, type Part } from "../parts.js";
import { openMcp } from "./open-mcp.js";

export interface PartsOptions {
  databases: Record<Part, Database>;
  bus: SubscribableBus;
  delivery: DeliveryConfig;
  /** The token that calls to the RPC ports need: any user of the machine can reach them. */
  token: string;
  /** The address of the one public listener, at which gateway and portal are reached. */
  listening: { port: number; host: string };
  gateway: { requestsPerMinute: number; paceLimits?: PaceLimits; callPace?: PaceLimits } & EdgeDeps;
  portal: AreaSettingsDeps;
  /** The MCP server, if there is one. */
  mcp?: McpSettingsDeps | undefined;
  logOf(part: PartName): Log;
}

export interface RunningParts extends Running {
  port: number;
  metrics: Metrics[];
  /** The administration of accounts and keys. */
  gatewayPrisma: PrismaClient;
  /** Renders the documentation site. Until then, its first request waits for that. */
  renderSite(): Promise<unknown>;
  /** The loopback ports on which the parts also listen for RPC. */
  rpcPorts: Record<Part, number>;
  /** The loopback port at which the MCP server calls the gateway, if there is one. */
  internalPort: number | undefined;
}

/**
 * Starts all parts in one process, where they call each other in memory. Each also listens on loopback, for grpcurl and the operator's commands.
 */
export async function startParts(options: PartsOptions): Promise<RunningParts> {
  const started: Running[] = [];
  // Callers stop before the parts that they call.
  const stop = async (fast?: boolean) => {
    for (const running of started.splice(0).reverse()) await running.stop(fast);
  };
  try {
    return { ...(await startInto(started, options)), stop };
  } catch (error) {
    await stop(true);
    throw error;
  }
}

async function startInto(
  started: Running[],
  { databases, bus, delivery, token, listening, gateway, portal, mcp, logOf }: PartsOptions,
): Promise<Omit<RunningParts, "stop">> {
  const common = { bus, now: () => new Date(), random: randomBytes };
  const metrics: Metrics[] = [];

  async function open(part: Part, service: Service) {
    started.push(service);
    const server = await serve({ routes: service.routes, port: 0, host: "127.0.0.1", log: logOf(part), token });
    started.push({ stop: () => server.stop(0) });
    if (service.metrics) metrics.push(service.metrics);
    return { transport: inProcess(service.routes, logOf(part)), port: server.port };
  }

  const inputsFor = <P extends Part>(part: P) => ({ ...common, db: databases[part], log: logOf(part) });
  const webhooks = await open("webhooks", await startWebhooks({ ...inputsFor("webhooks"), config: delivery }));
  const subscriber = { subscriber: createClient(WebhooksService, webhooks.transport) };
  const records = await open("records", await startRecords({ ...inputsFor("records"), ...subscriber }));
  const tracking = await open("tracking", await startTracking(inputsFor("tracking")));
  const neighbours = {
    records: createClient(RecordsService, records.transport),
    tracking: createClient(TrackingService, tracking.transport),
  };
  const carrier = await open("carrier", await startCarrier({ ...inputsFor("carrier"), ...subscriber, ...neighbours }));
  const services = { records, carrier, tracking, webhooks };
  const transports = Object.fromEntries(
    Object.entries(services).map(([part, { transport }]) => [part, transport]),
  ) as Record<keyof typeof services, Transport>;
  const listenerMetrics = createMetrics({ part: "gateway", log: logOf("gateway") });
  const listener = createPublicListener({
    ...listening,
    strictTransport: gateway.strictTransport,
    log: logOf("gateway"),
    random: randomBytes,
    metrics: listenerMetrics,
  });
  const { ownOrigin } = listener;
  const prisma = openPrisma(databases.gateway);
  started.push({ stop: () => prisma.$disconnect() });
  const edge = startGateway({
    ...inputsFor("gateway"),
    ...gateway,
    prisma,
    clients: createClients(transports),
    ownOrigin,
    metrics: listenerMetrics,
    clockOffsetMs: 0,
  });
  const access = await open("gateway", { ...edge, peers: {} });
  const portalPrisma = openPortalPrisma(databases.portal);
  started.push({ stop: () => portalPrisma.$disconnect() });
  const portalMetrics = createMetrics({ part: "portal", log: logOf("portal") });
  const people = startPortal({
    ...inputsFor("portal"),
    ...portal,
    ...createPortalClients({ ...transports, gateway: access.transport }),
    prisma: portalPrisma,
    ownOrigin,
    metrics: portalMetrics,
    clockOffsetMs: 0,
  });
  const operators = await open("portal", { ...people, peers: {} });
  const opened = { ...services, gateway: access, portal: operators } satisfies Record<Part, unknown>;
  const agents = mcp && (await openMcp({ mcp, internal: edge.internal, listener, started, log: logOf("mcp") }));
  const server = await listener.start({
    gateway: edge.application,
    portal: people.application,
    ...(agents && { mcp: agents.application }),
  });
  started.push(server);

  return {
    port: server.port,
    metrics: [listenerMetrics, portalMetrics, ...(agents ? [agents.metrics] : []), ...metrics],
    gatewayPrisma: prisma,
    renderSite: people.application.renderSite,
    rpcPorts: mapParts((part) => opened[part].port),
    internalPort: agents?.internalPort,
  };
}
