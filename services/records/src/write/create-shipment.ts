import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { executedNow, keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { pickColumns, type Row, unnestRows } from "@shipping/kit/postgres/columns";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import { noSuch } from "@shipping/proto/errors";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { CreateShipmentRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { insertClaimed } from "../resource/shared-fields.js";
import { newShipment, type ShipmentRow, shipmentJson, storedShipmentColumns } from "../resource/shipment.js";
import { addedText, type RecordsDeps } from "../search/hash-recent.js";
import { insertSearchTexts } from "../search/search-rows.js";

/** Creates a shipment, its event and its replayable answer in one statement, which waiting creations share. */
export async function createShipment(deps: RecordsDeps, request: CreateShipmentRequest): Promise<WriteOutcome> {
  const { random } = deps;
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  const now = deps.now();
  const shipment = newShipment(request, caller, newId("shp", random), now);
  const data = shipmentJson(shipment);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "shipment.created", caller, data, now, random });
  const row = { ...shipment, origin: originText(claim, event) };
  const outcome = await insertShipment(deps, { caller, claim, snapshot, event, row });
  if (!outcome) throw fail("not_found", noSuch("order"));
  if (executedNow(outcome)) {
    deps.outbox.committed(event);
    addedText(deps, { ...caller, table: "shipments" });
  }
  return outcome;
}

interface Creation extends Write {
  event: Event;
  row: Row<typeof storedShipmentColumns>;
}

const orderColumn = pickColumns(storedShipmentColumns, ["orderId"]);
const insertShipments = insertClaimed("shipments", storedShipmentColumns);
const insertTexts = insertSearchTexts<ShipmentRow>("shipments", shipmentJson);

// A shipment whose order is missing or belongs to another caller is left out of the statement: the foreign key would make the whole
// statement fail.
const insertShipment = microBatchOperation<RecordsDeps, Creation, WriteOutcome | undefined>({
  keyOf: keyOfWrite,
  run({ ledger, outbox }, creations) {
    const rows = creations.map(({ row }) => row);
    const orderIsThere = sql`
      JOIN ${unnestRows(orderColumn, rows)} USING (ordinal)
      WHERE order_id IS NULL OR (
        SELECT true FROM orders
        WHERE account_id = wanted.account_id AND environment = wanted.environment AND id = order_id)`;
    const statement = sql`
      WITH ${ledger.claim(creations, orderIsThere)},
      created AS (${insertShipments(rows)}),
      findable AS (${insertTexts(rows)}),
      emitted AS (${outbox.insert(creations.map(({ event }) => event))})
      SELECT ordinal FROM claim`;
    return ledger.execute(creations, statement);
  },
});
