import { callerOf, claimOf } from "@shipping/kit/caller";
import { violated } from "@shipping/kit/database";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { publicJson } from "@shipping/kit/json";
import { executedNow } from "@shipping/kit/ledger";
import { newEvent } from "@shipping/kit/outbox";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { type CreateShipmentRequest, ShipmentSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { sharedValues } from "./shared-fields.js";
import { newShipment } from "./shipment.js";

/** Creates a shipment, its event and its replayable answer in one statement. */
export async function createShipment(deps: RecordsDeps, request: CreateShipmentRequest): Promise<WriteOutcome> {
  const { ledger, outbox, random } = deps;
  const caller = callerOf(request);
  const claim = claimOf(request);
  const now = deps.now();
  const shipment = newShipment(request, caller, newId("shp", random), now);
  const data = publicJson(ShipmentSchema, shipment);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "shipment.created", caller, data, now, random });

  const statement = sql`
    WITH claim AS (${ledger.claim(caller, claim, snapshot)}),
    created AS (
      INSERT INTO shipments (
        account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at, order_id)
      SELECT ${caller.accountId}, ${caller.environment}, ${sharedValues(shipment)}, ${request.orderId ?? null}
      FROM claim),
    emitted AS (${outbox.insert(event)})
    SELECT token FROM claim`;
  // A missing or foreign order breaks the foreign key, which rolls the ledger row back with the rest.
  const outcome = await ledger.executeCreation(caller, claim, statement, snapshot).catch((error) => {
    if (violated(error)?.constraint === "shipments_order") throw fail("not_found", "No such order.");
    throw error;
  });
  if (executedNow(outcome)) outbox.committed(event);
  return outcome;
}
