import { CarrierRefusal, carrierNamed, type RemoteCarrier, type StandingBooking } from "../carriers/carrier.js";
import { askCarrier } from "./ask-carrier.js";
import { type BookingRow, pauseMs, surplus } from "./booking.js";
import { type BookingDeps, dropBooking, endBooking, keepHeld, letGo, noteClean, takeDue } from "./booking-rows.js";

/** How the worker records its findings. */
export interface Recording {
  /** Creates the label of a booking, under the claim of its request. False if that claim is over, or already has another answer. */
  label(row: BookingRow, standing: StandingBooking): Promise<boolean>;
  /** Voids the label of a cancelled booking. */
  void(row: BookingRow): Promise<void>;
}

const BATCH = 10;
// If a worker dies, a repetition of the request waits this long.
const LEASE_MS = 8_000;

/**
 * Settles the bookings that are due: after a crash or a lost answer, those that nobody wants, and unfinished voids. It asks the carrier by
 * the key, then records or cancels what stands there. It never books: only a request spends a customer's money.
 */
export async function settleOnce(deps: BookingDeps, recording: Recording): Promise<{ settled: number; left: number }> {
  const rows = await takeDue(deps, BATCH, LEASE_MS);
  const ends = await Promise.all(rows.map((row) => settleOrLeave(deps, recording, row)));
  const settled = ends.filter((end) => end).length;
  return { settled, left: rows.length - settled };
}

async function settleOrLeave(deps: BookingDeps, recording: Recording, row: BookingRow): Promise<boolean> {
  try {
    await settle(deps, recording, row);
    return true;
  } catch (err) {
    const { id: booking, carrier, state } = row;
    deps.log.warn({ err, booking, carrier, state, account: row.accountId }, "booking not settled yet");
    await letGo(deps, row, pauseMs(row.turn), String(err));
    return false;
  }
}

async function settle(deps: BookingDeps, recording: Recording, row: BookingRow): Promise<void> {
  const carrier = carrierNamed(deps.carriers, row.carrier);
  if (carrier.isLocal) throw new Error(`The carrier ${carrier.name} is not called.`);
  if (row.state === "voiding") return settleVoid(deps, recording, row, carrier);
  const standing = await askCarrier(carrier.callMs, (limits) => carrier.find(row.id, limits));
  if (row.state !== "asked") return cancelSurplus(deps, row, carrier, standing);
  const [first] = standing;
  if (first) {
    if (!(await recording.label(row, first))) await dropBooking(deps, row);
  } else if (row.inDoubt) await letGo(deps, row, pauseMs(row.turn));
  else await endBooking(deps, row);
}

async function settleVoid(
  deps: BookingDeps,
  recording: Recording,
  row: BookingRow,
  carrier: RemoteCarrier,
): Promise<void> {
  try {
    await askCarrier(carrier.callMs, (limits) => carrier.cancel(row.reference ?? "", limits));
  } catch (error) {
    if (!(error instanceof CarrierRefusal)) throw error;
    deps.log.error(
      { err: error, booking: row.id, account: row.accountId },
      "void refused by the carrier; the label stays",
    );
    return keepHeld(deps, row);
  }
  await recording.void(row);
}

async function cancelSurplus(
  deps: BookingDeps,
  row: BookingRow,
  carrier: RemoteCarrier,
  standing: readonly StandingBooking[],
): Promise<void> {
  for (const { reference } of surplus(row, standing)) {
    await askCarrier(carrier.callMs, (limits) => carrier.cancel(reference, limits));
    deps.log.info({ booking: row.id, reference, account: row.accountId }, "booking cancelled that no label has");
  }
  await noteClean(deps, row);
}
