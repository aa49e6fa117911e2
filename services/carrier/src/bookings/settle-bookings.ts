import { type ActiveBooking, CarrierRefusal, carrierNamed, type RemoteCarrier } from "../carriers/carrier.js";
import { type BookingRow, pauseMs } from "./booking.js";
import {
  type BookingDeps,
  dropBooking,
  endBooking,
  keepHeld,
  markClean,
  releaseBooking,
  takeDue,
} from "./booking-rows.js";
import { callCarrier } from "./call-carrier.js";

export interface LabelWriter {
  /**
   * Creates the label of a booking, under the claim of its request. Returns false if that claim has ended, or already has another answer.
   */
  storeLabel(row: BookingRow, active: ActiveBooking): Promise<boolean>;
  storeVoid(row: BookingRow): Promise<void>;
}

const BATCH = 10;
// The time for which a repetition of the request waits if a worker dies.
const LEASE_MS = 8_000;

/** Finds due bookings at the carrier, then stores or cancels them. It never books: only a request spends a customer's money. */
export async function settleOnce(deps: BookingDeps, writer: LabelWriter): Promise<{ settled: number; left: number }> {
  const rows = await takeDue(deps, BATCH, LEASE_MS);
  const ends = await Promise.all(rows.map((row) => settleOrLeave(deps, writer, row)));
  const settled = ends.filter((end) => end).length;
  return { settled, left: rows.length - settled };
}

async function settleOrLeave(deps: BookingDeps, writer: LabelWriter, row: BookingRow): Promise<boolean> {
  try {
    await settle(deps, writer, row);
    return true;
  } catch (err) {
    const { id: booking, carrier, state } = row;
    deps.log.warn({ err, booking, carrier, state, account: row.accountId }, "booking not settled yet");
    await releaseBooking(deps, row, pauseMs(row.turn), String(err));
    return false;
  }
}

async function settle(deps: BookingDeps, writer: LabelWriter, row: BookingRow): Promise<void> {
  const carrier = carrierNamed(deps.carriers, row.carrier);
  if (carrier.isLocal) throw new Error(`The carrier ${carrier.name} is not called.`);
  if (row.state === "voiding") return settleVoid(deps, writer, row, carrier);
  const active = await callCarrier(carrier.callMs, (limits) => carrier.find(row.id, limits));
  if (row.state !== "asked") return cancelSurplus(deps, row, carrier, active);
  const [first] = active;
  if (first) {
    if (!(await writer.storeLabel(row, first))) await dropBooking(deps, row);
  } else if (row.inDoubt) await releaseBooking(deps, row, pauseMs(row.turn));
  else await endBooking(deps, row);
}

async function settleVoid(
  deps: BookingDeps,
  writer: LabelWriter,
  row: BookingRow,
  carrier: RemoteCarrier,
): Promise<void> {
  try {
    await callCarrier(carrier.callMs, (limits) => carrier.cancel(row.reference!, limits));
  } catch (err) {
    if (!(err instanceof CarrierRefusal)) throw err;
    deps.log.error({ err, booking: row.id, account: row.accountId }, "void refused by the carrier; the label stays");
    return keepHeld(deps, row);
  }
  await writer.storeVoid(row);
}

/** Cancels the active bookings under the key that belong to no label. */
async function cancelSurplus(
  deps: BookingDeps,
  row: BookingRow,
  carrier: RemoteCarrier,
  active: readonly ActiveBooking[],
): Promise<void> {
  const kept = row.state === "held" ? row.reference : null;
  for (const { reference } of active.filter((booking) => booking.reference !== kept)) {
    await callCarrier(carrier.callMs, (limits) => carrier.cancel(reference, limits));
    deps.log.info({ booking: row.id, reference, account: row.accountId }, "cancelled a booking without a label");
  }
  await markClean(deps, row);
}
