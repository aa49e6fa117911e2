import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Caller, Claim } from "@shipping/kit/caller";
import { createLocalBus } from "@shipping/kit/events/bus";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { createOutbox } from "@shipping/kit/ledger/outbox";
import { silentLog } from "@shipping/kit/process/log";
import { testDatabase } from "@shipping/kit/testing/database";
import { newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { CreateOrderRequestSchema, CreateShipmentRequestSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { recordsMigrations } from "../account-data.js";
import type { RecordsDeps } from "../search/hash-recent.js";
import { createOrder } from "../write/create-order.js";
import { createShipment } from "../write/create-shipment.js";

/** The operations of records on their own database; `published` holds the events that reached the bus. */
export async function recordsUnderTest() {
  const { db, drop } = await testDatabase({ directory: recordsMigrations });
  const log = silentLog();
  const published: Event[] = [];
  const bus = createLocalBus();
  await bus.subscribe({ onEvent: async (event) => void published.push(event) });
  const outbox = createOutbox({ db, bus, log, filterMissing: async () => [] });
  const deps: RecordsDeps = {
    db,
    ledger: createLedger(db),
    outbox,
    log,
    now: () => new Date("2026-11-21T10:00:00.123Z"),
    random: randomBytes,
    ownersToCount: new Map(),
  };
  return {
    deps,
    published,
    /** Creates an order, and returns its public body. */
    newOrder: async (caller: Caller, extra?: Parameters<typeof orderRequest>[1]) =>
      toSnapshot(await createOrder(deps, orderRequest(caller, extra))).json,
    /** Creates a shipment, and returns its public body. */
    newShipment: async (caller: Caller, extra?: Parameters<typeof shipmentRequest>[1]) =>
      toSnapshot(await createShipment(deps, shipmentRequest(caller, extra))).json,
    async end() {
      await outbox.stop();
      await drop();
    },
  };
}

const address = { name: "Ada", street1: "1 Long Lane", city: "Berlin", postalCode: "10115", country: "DE" };
const given = {
  reference: "A-1",
  from: address,
  to: { ...address, name: "Grace", company: "Navy" },
  parcel: { weightKg: 1.5, lengthCm: 30, widthCm: 20, heightCm: 10 },
};

/** Further fields of a request. */
interface Extra {
  claim?: Claim;
  metadata?: { text: string };
}

export function orderRequest(caller: Caller, extra: Extra = {}) {
  return create(CreateOrderRequestSchema, { ...given, caller, claim: newClaim(), ...extra });
}

export function shipmentRequest(caller: Caller, extra: Extra & { orderId?: string } = {}) {
  return create(CreateShipmentRequestSchema, { ...given, caller, claim: newClaim(), ...extra });
}

/** Copies a shipment that is recent, each copy a second newer than the one before, with IDs from `shp_0001` on, or from another number. */
export const copyShipment = (id: string, count: number, first = 1) => sql`
  WITH copied AS (
    INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, created_at)
    SELECT account_id, environment, 'shp_' || lpad(n::text, greatest(4, length(n::text)), '0'), 'draft', reference, sender, recipient, parcel, created_at + n * interval '1 second'
    FROM shipments, generate_series(${first}::bigint, ${first + count - 1}::bigint) AS n WHERE id = ${id}
    RETURNING *)
  INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
  SELECT account_id, environment, copied.id, copied.created_at, text
  FROM copied JOIN shipment_search_recent AS recent USING (account_id, environment) WHERE recent.id = ${id}`;
