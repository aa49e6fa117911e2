import { type Caller, requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { ApplyLabelEventRequest, ApplyLabelEventsRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { type ShipmentStatus, statusAfter } from "../resource/shipment.js";
import { addedText, type RecordsDeps } from "../search/hash-recent.js";
import { addTrackingNumbers } from "../search/search-rows.js";

/** Applies a label event to its shipment. Idempotent, and the status never goes back: a late `label.created` changes nothing. */
export async function applyLabelEvent(deps: RecordsDeps, request: ApplyLabelEventRequest) {
  await changeShipment(deps, changeBy(requireCaller(request), request.event));
  return {};
}

/** The same for many events, which share a statement. */
export async function applyLabelEvents(deps: RecordsDeps, { events }: ApplyLabelEventsRequest) {
  const changes = events.map((event) => changeBy(requireCaller({ caller: event }), event));
  await Promise.all(changes.map((change) => changeShipment(deps, change)));
  return {};
}

interface Change {
  caller: Caller;
  shipmentId: string;
  labelId: string;
  trackingNumber: string;
  status: ShipmentStatus;
}

interface EventLabel {
  id: string;
  shipment_id: string;
  tracking_number: string;
}

function changeBy(caller: Caller, event: Event | undefined): Change {
  const status = event && statusAfter(event.type);
  if (!status) throw fail("internal_error", "The event is not a label event.");
  const label: EventLabel = JSON.parse(Buffer.from(event.body).toString()).data;
  return { caller, shipmentId: label.shipment_id, labelId: label.id, trackingNumber: label.tracking_number, status };
}

const changeShipment = microBatchOperation<RecordsDeps, Change, void>({
  keyOf: ({ caller, shipmentId }) => `${caller.accountId} ${caller.environment} ${shipmentId}`,
  async run(deps, changes) {
    // Rows are locked in one order everywhere; otherwise overlapping statements would deadlock. Each row is looked up on its own: a join
    // could keep a plan made for a small table.
    await deps.db.run(sql`
      WITH wanted AS (
        SELECT * FROM unnest(
          ${changes.map(({ caller }) => caller.accountId)}::text[], ${changes.map(({ caller }) => caller.environment)}::text[],
          ${changes.map(({ shipmentId }) => shipmentId)}::text[], ${changes.map(({ status }) => status)}::text[],
          ${changes.map(({ labelId }) => labelId)}::text[]
        ) AS wanted (account_id, environment, id, status, label_id)
        ORDER BY account_id, environment, id),
      change AS MATERIALIZED (
        SELECT wanted.* FROM wanted CROSS JOIN LATERAL (
          SELECT status FROM shipments
          WHERE (account_id, environment, id) = (wanted.account_id, wanted.environment, wanted.id) FOR UPDATE
        ) AS current
        WHERE current.status = 'draft' OR (current.status = 'label_created' AND wanted.status = 'voided'))
      UPDATE shipments AS shipment SET status = change.status, label_id = change.label_id
      FROM change
      WHERE (shipment.account_id, shipment.environment, shipment.id) = (change.account_id, change.environment, change.id)`);
    const labelled = changes.filter(({ status }) => status === "label_created");
    for (const { caller } of await addTrackingNumbers(deps, labelled))
      addedText(deps, { ...caller, table: "shipments" });
    return [];
  },
});
