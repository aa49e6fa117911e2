import type { Caller, Claim } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { executedNow, keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { type Columns, columnNames, type Row, unnestRows } from "@shipping/kit/postgres/columns";
import { violated } from "@shipping/kit/postgres/database";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { type Sql } from "sql-template-tag";
import type { BookingRow } from "./bookings/booking.js";
import { dropBooking, holdBooking, lockIfAsked } from "./bookings/booking-rows.js";
import { type ActiveBooking, type Booking, MAX_FILE_BYTES, rateJson } from "./carriers/carrier.js";
import type { CarrierDeps } from "./deps.js";
import { labelJson, labelRefusal, storedLabelColumns } from "./label.js";
import { findLabelOfShipment } from "./read-labels.js";

export interface NewLabel {
  caller: Caller;
  claim: Claim;
  shipmentId: string;
  /** The carrier's name. */
  carrier: string;
  at: Date;
}

/** A booking at a carrier that was called. `settles` says whether the carrier can have no other booking under the key of `row`. */
export interface RemoteBooking {
  row: BookingRow;
  active: ActiveBooking;
  settles: boolean;
}

/** The result: the outcome, undefined if the booking is no longer wanted, and the event, if this call has emitted it. */
export interface StoredLabel {
  outcome: WriteOutcome | undefined;
  event?: Event;
}

const newLabelColumns = { ...storedLabelColumns, pdf: "bytea" } as const satisfies Columns;

interface Creation extends Write {
  event: Event;
  row: Row<typeof newLabelColumns>;
}

/** Stores a label, its file, its event and its replayable answer in one statement, which labels of a local carrier share. */
export async function storeLabel(
  deps: CarrierDeps,
  newLabel: NewLabel,
  booking: Booking,
  remote?: RemoteBooking,
): Promise<StoredLabel> {
  if (booking.file.bytes.length > MAX_FILE_BYTES) {
    const { shipmentId: shipment, carrier } = newLabel;
    deps.log.error({ shipment, carrier, bytes: booking.file.bytes.length }, "the carrier's label is too large");
    if (remote) await dropBooking(deps, remote.row);
    throw fail("internal_error");
  }
  const creation = newCreation(deps, newLabel, booking);
  const storing = remote ? storeBooked(deps, creation, remote) : insertLabel(deps, creation);
  // If two requests saw the same draft, the unique shipment_id stops the second one and also rolls back its ledger row.
  const outcome = await storing.catch(async (error) => {
    // The carrier is at fault if another label already has the tracking number: this booking cannot become a label.
    if (remote && violated(error)) await dropBooking(deps, remote.row);
    if (violated(error)?.constraint !== "labels_shipment_id_key") throw error;
    throw await refusalByLabel(deps, newLabel, fail("label_exists"));
  });
  if (!outcome || !executedNow(outcome)) return { outcome };
  deps.outbox.committed(creation.event);
  return { outcome, event: creation.event };
}

/** Returns why the shipment gets no second label, by the status of its label; `otherwise` if that is missing, or has gone with its account. */
export async function refusalByLabel(
  deps: CarrierDeps,
  { caller, shipmentId }: Pick<NewLabel, "caller" | "shipmentId">,
  otherwise: Failure,
): Promise<Failure> {
  const label = await findLabelOfShipment(deps, { caller, id: shipmentId });
  return (label && labelRefusal(label.status, label.id)) ?? otherwise;
}

function newCreation({ random }: CarrierDeps, newLabel: NewLabel, booking: Booking): Creation {
  const { caller, claim, shipmentId, carrier, at } = newLabel;
  const { trackingNumber, rate, charge, test, file } = booking;
  const label = {
    id: newId("lbl", random),
    shipmentId,
    status: "created",
    carrier,
    trackingNumber,
    format: file.format,
    ...charge,
    test,
    createdAt: at,
    voidedAt: null,
  };
  const data = labelJson(label);
  const event = newEvent({ type: "label.created", caller, data, now: at, random });
  const row = { ...label, rate: rateJson(rate), pdf: file.bytes, origin: originText(claim, event), voidOrigin: null };
  return { caller, claim, snapshot: { status: 201, body: Buffer.from(data) }, event, row };
}

async function storeBooked(deps: CarrierDeps, creation: Creation, { row, active, settles }: RemoteBooking) {
  const statement = sql`
    WITH target AS (${lockIfAsked(row)}),
    ${deps.ledger.claim([creation], sql`WHERE EXISTS (SELECT FROM target)`)}, ${labels(deps, [creation])},
    held AS (${holdBooking(deps, row, active.reference, settles)})
    SELECT ordinal FROM claim`;
  const [outcome] = await deps.ledger.execute([creation], statement);
  return outcome;
}

// Locks are taken in one order: keys, then shipments.
const insertLabel = microBatchOperation<CarrierDeps, Creation, WriteOutcome>({
  keyOf: keyOfWrite,
  run(deps, creations) {
    const { ledger } = deps;
    const statement = sql`
      WITH ${ledger.claim(creations)}, ${labels(deps, creations)}
      SELECT ordinal FROM claim`;
    return ledger.executeCreations(creations, statement);
  },
});

/** Returns the CTEs that insert the labels in `claim`, their files and their events. */
function labels({ outbox }: Pick<CarrierDeps, "outbox">, creations: readonly Creation[]): Sql {
  const rows = creations.map(({ row }) => row);
  const names = columnNames(storedLabelColumns);
  return sql`
    new AS (SELECT * FROM claim JOIN ${unnestRows(newLabelColumns, rows)} USING (ordinal)),
    created AS (
      INSERT INTO labels (account_id, environment, ${names})
      SELECT account_id, environment, ${names} FROM new ORDER BY shipment_id),
    stored AS (
      INSERT INTO label_files (account_id, environment, label_id, pdf)
      SELECT account_id, environment, id, pdf FROM new),
    emitted AS (${outbox.insert(creations.map(({ event }) => event))})`;
}
