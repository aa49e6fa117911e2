import type { Caller } from "@shipping/kit/caller";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { ownedSql } from "@shipping/kit/postgres/read-owned";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { empty, type Sql } from "sql-template-tag";
import { type BookingRow, callerIn, claimIn } from "./bookings/booking.js";
import { endVoided } from "./bookings/booking-rows.js";
import type { CarrierDeps } from "./deps.js";
import { type LabelRow, labelJson, voided } from "./label.js";
import { findLabelOfShipment } from "./read-labels.js";

/** A label to void, in a statement that has the CTE `claim`. */
export interface Voiding {
  caller: Caller;
  id: string;
  now: Date;
  event: Event;
  /** Who asked for it. */
  origin: string;
  /** The booking that the carrier has cancelled for it, if the carrier was called. */
  booking: BookingRow | undefined;
}

/** Selects the label if its status is still the one that was read. */
export function labelAsRead(caller: Caller, { id, status }: LabelRow): Sql {
  return sql`SELECT FROM labels WHERE ${ownedSql(caller)} AND id = ${id} AND status = ${status} FOR UPDATE`;
}

/** The CTEs that void a label and emit its event, if `claim` has a row. */
export function voiding({ outbox }: CarrierDeps, { caller, origin, id, now, event, booking }: Voiding): Sql {
  return sql`,
    changed AS (
      UPDATE labels SET status = 'voided', voided_at = ${now}, void_origin = ${origin}
      WHERE ${ownedSql(caller)} AND id = ${id} AND EXISTS (SELECT FROM claim))
    ${booking ? sql`, ended AS (${endVoided(booking)})` : empty},
    emitted AS (${outbox.insert([event])})`;
}

/**
 * Records a void that the carrier has carried out but no request has recorded. It stores no answer: a repetition of the request finds the
 * label voided, and answers with that.
 */
export async function recordVoid(deps: CarrierDeps, booking: BookingRow): Promise<void> {
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
