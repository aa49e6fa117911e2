import type { Caller, Claim } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { executedNow, keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { violated } from "@shipping/kit/postgres/database";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { type Sql } from "sql-template-tag";
import type { BookingRow } from "./bookings/booking.js";
import { dropBooking, holdBooking, lockIfAsked } from "./bookings/booking-rows.js";
import type { Booking, StandingBooking } from "./carriers/carrier.js";
import { rateJson } from "./carriers/rate.js";
import type { CarrierDeps } from "./deps.js";
import { type LabelRow, labelJson, labelRefusal } from "./label.js";
import { findLabelOf } from "./read-labels.js";

/** A label to make. */
export interface Making {
  caller: Caller;
  claim: Claim;
  shipmentId: string;
  /** The carrier's name. */
  carrier: string;
  at: Date;
}

/** The booking at a carrier that was called: `row` is our booking, and `settles` says whether nothing else can stand under its key. */
export interface Remote {
  row: BookingRow;
  standing: StandingBooking;
  settles: boolean;
}

/** The result: the outcome, undefined if the booking is no longer wanted, and the event, if this call has emitted it. */
export interface Recorded {
  outcome: WriteOutcome | undefined;
  event?: Event;
}

interface Creation extends Write {
  event: Event;
  row: LabelRow;
  booking: Booking;
}

/**
 * Stores a label with its file, its event and its replayable answer in one statement. Labels of a local carrier share it with others that
 * wait; for a carrier that was called, it also records the outcome of the booking.
 */
export async function recordLabel(
  deps: CarrierDeps,
  making: Making,
  booking: Booking,
  remote?: Remote,
): Promise<Recorded> {
  const creation = creationOf(deps, making, booking);
  const recording = remote ? recordHeld(deps, creation, remote) : insertLabel(deps, creation);
  // If two requests saw the same draft, the unique shipment_id stops the second one and rolls back its ledger row, too.
  const outcome = await recording.catch(async (error) => {
    // A tracking number that another label already has is the carrier's fault: this booking cannot become a label.
    if (remote && violated(error)) await dropBooking(deps, remote.row);
    if (violated(error)?.constraint !== "labels_shipment_id_key") throw error;
    const first = await findLabelOf(deps, { caller: making.caller, id: making.shipmentId });
    throw labelRefusal(first?.status ?? "created");
  });
  if (!outcome || !executedNow(outcome)) return { outcome };
  deps.outbox.committed(creation.event);
  return { outcome, event: creation.event };
}

function creationOf({ random }: CarrierDeps, making: Making, booking: Booking): Creation {
  const { caller, claim, shipmentId, carrier, at } = making;
  const { trackingNumber, charge, test, file } = booking;
  const row = {
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
  const data = labelJson(row);
  const event = newEvent({ type: "label.created", caller, data, now: at, random });
  return { caller, claim, snapshot: { status: 201, body: Buffer.from(data) }, event, row, booking };
}

async function recordHeld(deps: CarrierDeps, creation: Creation, { row, standing, settles }: Remote) {
  const statement = sql`
    WITH target AS (${lockIfAsked(row)}),
    ${deps.ledger.claim([creation], sql`WHERE EXISTS (SELECT FROM target)`)}, ${labels(deps, [creation])},
    held AS (${holdBooking(deps, row, standing.reference, settles)})
    SELECT ordinal FROM claim`;
  const [outcome] = await deps.ledger.execute([creation], statement);
  return outcome;
}

// Locks in one order: keys, then shipments.
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

/** The CTEs that insert the labels in `claim`, their files and their events. */
function labels({ outbox }: Pick<CarrierDeps, "outbox">, creations: readonly Creation[]): Sql {
  const rows = creations.map(({ row }) => row);
  const bookings = creations.map(({ booking }) => booking);
  return sql`
    made AS (
      SELECT * FROM claim JOIN unnest(
        ${rows.map(({ id }) => id)}::text[], ${rows.map(({ shipmentId }) => shipmentId)}::text[],
        ${rows.map(({ status }) => status)}::text[], ${rows.map(({ carrier }) => carrier)}::text[],
        ${rows.map(({ trackingNumber }) => trackingNumber)}::text[], ${rows.map(({ format }) => format)}::text[],
        ${rows.map(({ currency }) => currency)}::text[], ${rows.map(({ amount }) => amount)}::float8[],
        ${rows.map(({ test }) => test)}::boolean[], ${rows.map(({ createdAt }) => createdAt)}::timestamptz[],
        ${bookings.map(({ file }) => file.bytes)}::bytea[], ${bookings.map(({ rate }) => rateJson(rate))}::text[],
        ${creations.map(({ claim, event }) => originText(claim, event))}::text[]
      ) WITH ORDINALITY AS made (
        id, shipment_id, status, carrier, tracking_number, format, currency, amount, test, created_at, pdf, rate, origin,
        ordinal)
      USING (ordinal)),
    created AS (
      INSERT INTO labels (
        account_id, environment, id, shipment_id, status, carrier, tracking_number, format, currency, amount, test,
        created_at, rate, origin)
      SELECT account_id, environment, id, shipment_id, status, carrier, tracking_number, format, currency, amount, test,
        created_at, rate, origin
      FROM made ORDER BY shipment_id),
    stored AS (
      INSERT INTO label_files (account_id, environment, label_id, pdf)
      SELECT account_id, environment, id, pdf FROM made ORDER BY id),
    emitted AS (${outbox.insert(creations.map(({ event }) => event))})`;
}
