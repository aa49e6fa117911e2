import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { executedNow, keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { CreateShipmentRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { givenSql } from "./shared-fields.js";
import { newShipment, type ShipmentRow, shipmentJson } from "./shipment.js";

/** Creates a shipment, its event and its replayable answer in one statement, which waiting creations share. */
export async function createShipment(deps: RecordsDeps, request: CreateShipmentRequest): Promise<WriteOutcome> {
  const { outbox, random } = deps;
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  const now = deps.now();
  const shipment = newShipment(request, caller, newId("shp", random), now);
  const data = shipmentJson(shipment);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "shipment.created", caller, data, now, random });
  const outcome = await insertShipment(deps, { caller, claim, snapshot, event, shipment });
  if (!outcome) throw fail("not_found", "No such order.");
  if (executedNow(outcome)) outbox.committed(event);
  return outcome;
}

interface Creation extends Write {
  event: Event;
  shipment: ShipmentRow;
}

// A shipment whose order is missing or belongs to another caller is left out of the statement: the foreign key would make the whole
// statement fail.
const insertShipment = microBatchOperation<RecordsDeps, Creation, WriteOutcome | undefined>({
  keyOf: keyOfWrite,
  run({ ledger, outbox }, creations) {
    const shipments = creations.map(({ shipment }) => shipment);
    const orderIsThere = sql`
      JOIN ordered USING (ordinal)
      WHERE order_id IS NULL OR (
        SELECT true FROM orders
        WHERE account_id = wanted.account_id AND environment = wanted.environment AND id = order_id)`;
    const statement = sql`
      WITH ordered AS (
        SELECT * FROM unnest(${shipments.map(({ orderId }) => orderId)}::text[])
          WITH ORDINALITY AS ordered (order_id, ordinal)),
      ${ledger.claim(creations, orderIsThere)},
      created AS (
        INSERT INTO shipments (
          account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at, order_id,
          origin)
        SELECT account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at, order_id,
          origin
        FROM claim JOIN ${givenSql(shipments, creations)} USING (ordinal) JOIN ordered USING (ordinal)
        ORDER BY account_id, environment, id),
      emitted AS (${outbox.insert(creations.map(({ event }) => event))})
      SELECT ordinal FROM claim`;
    return ledger.execute(creations, statement);
  },
});
