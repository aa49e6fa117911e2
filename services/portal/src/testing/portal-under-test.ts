import { randomBytes } from "node:crypto";
import { createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { createPublicListener, type ListenerOptions } from "@shipping/kit/http/server/public-listener";
import { createLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { inProcess } from "@shipping/kit/rpc/server";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { type PortalParts, startPortal } from "../start-portal.js";
import { accessUnderTest } from "./access-under-test.js";
import { clientsTo } from "./clients-to.js";
import { portalDatabase } from "./portal-database.js";
import { signedIn } from "./signed-in.js";

/** Replaces dependencies, and says how the other parts answer. Their other RPCs are not implemented. */
interface Options extends Partial<PortalParts> {
  listening?: Pick<ListenerOptions, "stallMs" | "unreadLimits">;
  records?: Partial<ServiceImpl<typeof RecordsService>>;
  webhooks?: Partial<ServiceImpl<typeof WebhooksService>>;
}

/** Starts a portal with its own database, on loopback, beside parts that answer only what a test says. */
export async function portalUnderTest(options: Options = {}) {
  const { records = {}, webhooks = {}, listening, ...given } = options;
  const database = await portalDatabase();
  const gateway = accessUnderTest();
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ part: "portal", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const { clients } = clientsTo(
    createRouterTransport(({ service }) => {
      service(RecordsService, records);
      service(WebhooksService, { listChanges: () => ({}), claimFailing: () => ({}), ...webhooks });
    }),
  );
  const common = { log, metrics: createMetrics({ part: "portal", log }), random: randomBytes, ...given };
  const listener = createPublicListener({ port: 0, host: "127.0.0.1", ...common, ...listening });
  const portal = startPortal({
    db: database.db,
    prisma: database.prisma,
    access: gateway.access,
    clients,
    ownOrigin: listener.ownOrigin,
    now: database.now,
    clockOffsetMs: 0,
    publicUrl: undefined,
    trustedProxies: { count: 0, header: "x-forwarded-for" },
    auditRetentionDays: 400,
    strictTransport: false,
    developerArea: {},
    ...common,
  });
  const server = await listener.start({ portal: portal.application });
  const transport = inProcess(portal.routes, log);

  return {
    db: database.db,
    prisma: database.prisma,
    port: server.port,
    gateway,
    /** The portal's own RPCs. */
    operations: createClient(PortalOperationsService, transport),
    ownerOperations: createClient(OwnerOperationsService, transport),
    /** The log lines so far. */
    lines,
    newAccount: database.newAccount,
    /** The session cookie of a member of an account. */
    signedIn: (accountId: string) => signedIn(database, accountId),
    /** Requests a path, with a connection of its own. Redirects are not followed. */
    request: (path: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {}) =>
      fetch(`http://127.0.0.1:${server.port}${path}`, {
        redirect: "manual",
        ...init,
        headers: { connection: "close", ...headers },
      }),
    stop: portal.stop,
    async end() {
      await server.stop(true);
      await portal.stop(true);
      await database.drop();
    },
  };
}

export type PortalUnderTest = Awaited<ReturnType<typeof portalUnderTest>>;
