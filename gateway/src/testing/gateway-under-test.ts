import { randomBytes } from "node:crypto";
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { fail, toConnectError } from "@shipping/kit/errors";
import { createPublicListener, type ListenerOptions } from "@shipping/kit/http/server/public-listener";
import { createLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { exchange } from "@shipping/kit/testing/raw-http";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { type CreateOrderRequest, RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { revokeKey } from "../accounts/manage-keys.js";
import { createClients } from "../service-clients/clients.js";
import { type GatewayParts, startGateway } from "../start-gateway.js";
import { gatewayDatabase } from "./gateway-database.js";
import { ownerUnderTest } from "./owner-under-test.js";

export const ORDER_ID = "ord_mfrggzdfmztwq2lknnwg23tpoa";

const address = { name: "A", street1: "B", city: "C", postal_code: "D", country: "DE" };

/** A valid body of POST /orders. */
export const order = {
  reference: "PO-1",
  from: address,
  to: address,
  parcel: { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 },
};

export interface Sending {
  key?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Starts a gateway with its own database, in front of a records service that uses the real ledger and records its calls. */
export async function gatewayUnderTest(
  options: {
    records?: Partial<ServiceImpl<typeof RecordsService>>;
    listening?: Pick<ListenerOptions, "stallMs" | "unreadLimits">;
  } & Partial<GatewayParts> = {},
) {
  const { records, listening, ...given } = options;
  const [database, owner] = await Promise.all([gatewayDatabase(), ownerUnderTest()]);
  const created: CreateOrderRequest[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const transport = createRouterTransport((router) => {
    router.service(RecordsService, {
      async createOrder(request) {
        created.push(request);
        return { outcome: await owner.write(requireCaller(request), requireClaim(request), request.reference) };
      },
      getOrder({ id }) {
        if (id !== ORDER_ID) throw toConnectError(fail("not_found", "No such order."));
        return { data: Buffer.from(JSON.stringify({ id, object: "order" })) };
      },
      listOrders: () => ({ data: Buffer.from(JSON.stringify([{ id: ORDER_ID }])), nextCursor: ORDER_ID }),
      ...records,
    });
    router.service(CarrierService, {});
    router.service(TrackingService, {});
    router.service(WebhooksService, {});
  });
  const clients = createClients({ records: transport, carrier: transport, tracking: transport, webhooks: transport });
  const metrics = createMetrics({ part: "gateway", log });
  const common = { log, metrics, random: randomBytes, ...given };
  const listener = createPublicListener({ port: 0, host: "127.0.0.1", ...common, ...listening });
  const gateway = startGateway({
    db: database.db,
    prisma: database.prisma,
    clients: { ...clients, ledgers: { ...clients.ledgers, records: owner.client } },
    ownOrigin: listener.ownOrigin,
    now: () => new Date(),
    clockOffsetMs: 0,
    requestsPerMinute: 1_000,
    paceLimits: { perSecond: 10_000, burst: 10_000 },
    trustedProxies: { count: 0, header: "x-forwarded-for" },
    auditRetentionDays: 400,
    publicUrl: undefined,
    knowsOrigin: true,
    strictTransport: false,
    requestLogDays: 7,
    ...common,
  });
  const server = await listener.start({ gateway: gateway.application });
  const internal = await listener.startInternal(gateway.internal, { port: 0, host: "127.0.0.1" });

  /** Sends a request byte for byte and returns its response. */
  async function send(method: string, path: string, { key, headers = {}, body }: Sending = {}) {
    const all = {
      Host: "gateway",
      Connection: "close",
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${method} /api/v1${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
    const [answer] = await exchange(server.port, head, body ?? "");
    if (!answer) throw new Error("The gateway closed the connection without an answer.");
    const isJson = answer.headers["content-type"] === "application/json" && answer.body !== "";
    return { ...answer, json: isJson ? JSON.parse(answer.body) : {} };
  }

  return {
    db: database.db,
    url: database.url,
    port: server.port,
    /** The port for the MCP server. */
    internalPort: internal.port,
    metrics,
    routes: gateway.routes,
    newKey: database.newKey,
    revokeKey: (id: string) => revokeKey({ ...database, now: () => new Date(), random: randomBytes }, { id }),
    /** The rows of the request log so far. */
    requestLog: () =>
      database.db.run<LoggedRequest>(
        sql`SELECT account_id AS "accountId", user_agent AS "userAgent", path, source, status FROM request_log`,
      ),
    /** The orders that records was asked to create. */
    created,
    /** Stores a request with this path as an earlier release might have, without cleaning it. */
    storeRequest: (requestId: string, path: string) =>
      database.db.run(sql`
        INSERT INTO request_log (at, request_id, method, path, ms, replayed, source, user_agent, more)
        VALUES (now(), ${requestId}, 'POST', ${path}, 1, false, '', '', 0)`),
    /** The log lines so far. */
    lines,
    send,
    /** Sends POST /orders, with a new Idempotency-Key unless one is given. */
    createOrder: ({ headers, ...sending }: Sending) =>
      send("POST", "/orders", {
        body: JSON.stringify(order),
        ...sending,
        headers: { "Idempotency-Key": newIdempotencyKey(), ...headers },
      }),
    async end() {
      await Promise.all([server.stop(true), internal.stop(true)]);
      await gateway.stop(true);
      await Promise.all([database.drop(), owner.drop()]);
    },
  };
}

export interface LoggedRequest {
  accountId: string | null;
  userAgent: string;
  path: string;
  source: string;
  status: number;
}

/** Creates an idempotency key that no other request has. */
export const newIdempotencyKey = () => randomBytes(12).toString("hex");

export type GatewayUnderTest = Awaited<ReturnType<typeof gatewayUnderTest>>;
