import { type Caller, type Claim, requireCaller, requireClaim } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { executedNow } from "@shipping/kit/ledger/ledger";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import type { Call } from "@shipping/kit/rpc/server";
import { noSuch } from "@shipping/proto/errors";
import type { VoidLabelRequest } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { empty, type Sql } from "sql-template-tag";
import { type BookingRow, callerIn, claimIn } from "./bookings/booking.js";
import { endVoided, releaseBooking } from "./bookings/booking-rows.js";
import { inDoubtOnOutage } from "./bookings/call-carrier.js";
import { cancelInPhases } from "./bookings/cancel-in-phases.js";
import { carrierNamed } from "./carriers/carrier.js";
import type { CarrierDeps } from "./deps.js";
import { type LabelRow, labelJson, voided } from "./label.js";
import { projectLabelEvent } from "./neighbours/project-label-event.js";
import { findLabel, findLabelOfShipment } from "./read-labels.js";

/** Voids a label. A voided label is answered unchanged, and no event is emitted, but the key is reserved. */
export async function voidLabel(deps: CarrierDeps, request: VoidLabelRequest, call: Call): Promise<WriteOutcome> {
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  // The result is undefined if the label was voided between reading and writing. A void is final, so reading once more is enough.
  const outcome =
    (await voidAsRead(deps, caller, claim, request.id, call)) ??
    (await voidAsRead(deps, caller, claim, request.id, call));
  if (!outcome) throw new Error("A label changed twice.");
  return outcome;
}

async function voidAsRead(deps: CarrierDeps, caller: Caller, claim: Claim, id: string, call: Call) {
  const { ledger, outbox, random } = deps;
  const row = await findLabel(deps, { caller, id });
  if (!row) throw fail("not_found", noSuch("label"));

  const changes = row.status !== "voided";
  const carrier = changes ? carrierNamed(deps.carriers, row.carrier) : undefined;
  let booking: BookingRow | undefined;
  if (carrier && !carrier.isLocal) {
    const cancelled = await cancelInPhases(deps, { caller, claim, carrier, shipmentId: row.shipmentId }, call);
    if (cancelled && "outcome" in cancelled) return cancelled.outcome;
    // Another request has voided the label in the meantime.
    if (!cancelled) return undefined;
    booking = cancelled.row;
  }

  const now = deps.now();
  const data = labelJson(voided(row, now));
  const event = newEvent({ type: "label.voided", caller, data, now, random });
  // The answer is valid only for the status that was read: without a target, there is also no ledger row.
  const write = { caller, claim, snapshot: { status: 200, body: Buffer.from(data) } };
  const statement = sql`
    WITH target AS (${labelAsRead(caller, row)}),
    ${ledger.claim([write], sql`WHERE EXISTS (SELECT FROM target)`)}
    ${changes ? voiding(deps, { caller, origin: originText(claim, event), id, now, event, booking }) : empty}
    SELECT ordinal FROM claim`;
  const executed = ledger.execute([write], statement).then(([ending]) => ending);
  const outcome = await (booking ? inDoubtOnOutage(executed) : executed);
  if (changes && outcome && executedNow(outcome)) {
    outbox.committed(event);
    await projectLabelEvent(deps, event, call);
  } else if (booking) await inDoubtOnOutage(releaseBooking(deps, booking, 0));
  return outcome;
}

/** A label to void, in a statement that has the CTE `claim`. */
interface Voiding {
  caller: Caller;
  id: string;
  now: Date;
  event: Event;
  origin: string;
  /** The booking that the carrier has cancelled for the label, if the carrier was called. */
  booking: BookingRow | undefined;
}

/** Selects the label if its status is still the one that was read. */
function labelAsRead(caller: Caller, { id, status }: LabelRow): Sql {
  return sql`SELECT FROM labels WHERE ${ownedSql(caller)} AND id = ${id} AND status = ${status} FOR UPDATE`;
}

/** The CTEs that void a label and emit its event, if `claim` has a row. */
function voiding({ outbox }: CarrierDeps, { caller, origin, id, now, event, booking }: Voiding): Sql {
  return sql`,
    changed AS (
      UPDATE labels SET status = 'voided', voided_at = ${now}, void_origin = ${origin}
      WHERE ${ownedSql(caller)} AND id = ${id} AND EXISTS (SELECT FROM claim))
    ${booking ? sql`, ended AS (${endVoided(booking)})` : empty},
    emitted AS (${outbox.insert([event])})`;
}

/** Stores a void that the carrier has carried out, but no answer: a repetition of the request finds the label voided. */
export async function storeVoid(deps: CarrierDeps, booking: BookingRow): Promise<void> {
  const caller = callerIn(booking);
  const row = await findLabelOfShipment(deps, { caller, id: booking.shipmentId });
  if (!row) throw new Error("The booking of a void has no label.");
  const now = deps.now();
  const event = newEvent({ type: "label.voided", caller, data: labelJson(voided(row, now)), now, random: deps.random });
  const origin = originText(claimIn(booking), event);
  const executed = await deps.db.run(sql`
    WITH target AS (${labelAsRead(caller, row)}),
    claim AS (
      SELECT 1::bigint AS ordinal, ${caller.accountId}::text AS account_id, ${caller.environment}::text AS environment FROM target
      WHERE ${row.status} <> 'voided')
    ${voiding(deps, { caller, origin, id: row.id, now, event, booking })}
    SELECT ordinal FROM claim`);
  if (executed.length > 0) deps.outbox.committed(event);
}
