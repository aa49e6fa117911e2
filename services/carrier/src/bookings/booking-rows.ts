import type { Caller, Claim } from "@shipping/kit/caller";
import { newId, type Random } from "@shipping/kit/ids";
import type { Ledger } from "@shipping/kit/ledger/ledger";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { selectColumns } from "@shipping/kit/postgres/columns";
import type { Database } from "@shipping/kit/postgres/database";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import type { Log } from "@shipping/kit/process/log";
import sql, { join, type Sql } from "sql-template-tag";
import type { Carriers, RemoteCarrier } from "../carriers/carrier.js";
import { type BookingRow, bookingColumns } from "./booking.js";

export interface BookingDeps {
  db: Database;
  ledger: Ledger;
  carriers: Carriers;
  log: Log;
  random: Random;
  /** Added to the database's clock; 0 outside tests. */
  clockOffsetMs: number;
}

export interface Intent {
  caller: Caller;
  claim: Claim;
  shipmentId: string;
  carrier: RemoteCarrier;
}

type Timing = Pick<RemoteCarrier, "callMs" | "mayExecuteForMs">;
type Deps = Pick<BookingDeps, "db" | "clockOffsetMs">;

/** The time within which a call that is recorded in its row is sent; later it is not sent at all. */
export const SEND_WITHIN_MS = 2_000;

const leaseEnd = (deps: Deps, { callMs }: Timing) => databaseNow(deps, SEND_WITHIN_MS + callMs);
const doubtEnd = (deps: Deps, { callMs, mayExecuteForMs }: Timing) =>
  databaseNow(deps, SEND_WITHIN_MS + callMs + mayExecuteForMs);

const columns = (deps: Deps) => sql`
  ${selectColumns(bookingColumns)}, coalesce(doubt_until > ${databaseNow(deps)}, false) AS "inDoubt"`;

/** The condition that the row has not been taken since this turn. */
const ownTurnCondition = (row: BookingRow) => sql`${ownedSql(row)} AND id = ${row.id} AND turn = ${row.turn}`;

// A claim that has ended, or already has its answer, must not cost anything.
function openClaimCondition({ caller, claim }: Pick<Intent, "caller" | "claim">): Sql {
  return sql`NOT EXISTS (
    SELECT FROM ledger AS held
    WHERE (held.account_id, held.environment, held.idempotency_key) = (
        ${caller.accountId}::text, ${caller.environment}::text, ${claim.idempotencyKey}::text)
      AND (held.kind = 'result' OR held.token >= ${claim.token}))`;
}

/** Stores a booking before the carrier is called; undefined if the key or the shipment is taken. */
export async function insertBooking(deps: BookingDeps, intent: Intent): Promise<BookingRow | undefined> {
  const { caller, claim, shipmentId, carrier } = intent;
  const { requestedBy = "", requestId = "" } = claim;
  const lease = leaseEnd(deps, carrier);
  const [row] = await deps.db.run<BookingRow>(sql`
    INSERT INTO bookings (
      account_id, environment, id, shipment_id, carrier, state, idempotency_key, fingerprint, token, requested_by, request_id,
      turn, leased_until, doubt_until, due_at, created_at)
    SELECT ${caller.accountId}, ${caller.environment}, ${newId("bkg", deps.random)}, ${shipmentId}::text, ${carrier.name}, 'asked',
      ${claim.idempotencyKey}::text, ${claim.fingerprint}::bytea, ${claim.token}::bigint, ${requestedBy}, ${requestId},
      1, ${lease}, ${doubtEnd(deps, carrier)}, ${lease}, ${databaseNow(deps)}
    WHERE ${openClaimCondition(intent)}
      AND NOT EXISTS (SELECT FROM labels WHERE shipment_id = ${shipmentId})
    ON CONFLICT (shipment_id) WHERE state IN ('asked', 'held', 'voiding') DO NOTHING
    RETURNING ${columns(deps)}`);
  return row;
}

/** Takes over the booking of an equal request, under the later claim; undefined if its lease runs or another request owns it. */
export async function adoptBooking(deps: BookingDeps, intent: Intent): Promise<BookingRow | undefined> {
  const { claim, shipmentId, carrier, caller } = intent;
  return takeOne(
    deps,
    carrier,
    sql`token = greatest(token, ${claim.token}), request_id = ${claim.requestId ?? ""}`,
    sql`${ownedSql(caller)} AND shipment_id = ${shipmentId} AND state = 'asked'
      AND idempotency_key = ${claim.idempotencyKey} AND fingerprint = ${claim.fingerprint} AND ${openClaimCondition(intent)}`,
  );
}

/** Begins or continues the void of a label's booking; undefined if its lease has not ended, or there is none. */
export async function takeForVoid(deps: BookingDeps, intent: Intent): Promise<BookingRow | undefined> {
  const { claim, shipmentId, carrier, caller } = intent;
  return takeOne(
    deps,
    carrier,
    sql`state = 'voiding', requested_by = ${claim.requestedBy ?? ""}, request_id = ${claim.requestId ?? ""}`,
    sql`${ownedSql(caller)} AND shipment_id = ${shipmentId} AND state IN ('held', 'voiding')`,
  );
}

async function takeOne(deps: Deps, timing: Timing, changes: Sql, condition: Sql): Promise<BookingRow | undefined> {
  const [row] = await deps.db.run<BookingRow>(sql`
    UPDATE bookings SET ${changes}, turn = turn + 1, leased_until = ${leaseEnd(deps, timing)}, due_at = ${leaseEnd(deps, timing)}
    WHERE ${condition} AND leased_until <= ${databaseNow(deps)}
    RETURNING ${columns(deps)}`);
  return row;
}

/** Takes due bookings. A booking with a lease is due when the lease ends, not before. */
export async function takeDue(deps: Deps, most: number, leaseMs: number): Promise<BookingRow[]> {
  return deps.db.run<BookingRow>(sql`
    UPDATE bookings SET turn = turn + 1, leased_until = ${databaseNow(deps, leaseMs)}, due_at = ${databaseNow(deps, leaseMs)}
    WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM bookings
      WHERE due_at <= ${databaseNow(deps)}
      ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED))
    RETURNING ${columns(deps)}`);
}

/** Stores that the carrier is about to be called again; false if the booking has been taken since. */
export async function markCall(deps: Deps, row: BookingRow, timing: Timing): Promise<boolean> {
  const noted = await deps.db.run(sql`
    UPDATE bookings SET doubt_until = greatest(doubt_until, ${doubtEnd(deps, timing)}),
      leased_until = ${leaseEnd(deps, timing)}, due_at = ${leaseEnd(deps, timing)}
    WHERE ${ownTurnCondition(row)} AND state = 'asked' RETURNING id`);
  return noted.length > 0;
}

/** Releases a booking that is not settled: a repetition of the request may take it now, the worker after `pauseMs`. */
export async function releaseBooking(deps: Deps, row: BookingRow, pauseMs: number, problem?: string): Promise<void> {
  await change(deps, row, [
    sql`leased_until = ${databaseNow(deps)}, due_at = ${databaseNow(deps, pauseMs)}`,
    ...(problem === undefined ? [] : [sql`problem = ${problem}`]),
  ]);
}

/** Ends a booking that the carrier does not have. */
export async function endBooking(deps: Deps, row: BookingRow): Promise<void> {
  await change(deps, row, [sql`state = 'over', doubt_until = NULL, due_at = NULL, problem = NULL`]);
}

/** Lets the worker cancel all bookings under the key except a label's. Does nothing if a later claim took over: it may get the label. */
export async function dropBooking(deps: Deps, row: BookingRow): Promise<void> {
  await deps.db.run(sql`
    UPDATE bookings SET state = CASE state WHEN 'asked' THEN 'cancelling' ELSE state END, due_at = ${databaseNow(deps)},
      leased_until = ${databaseNow(deps)}
    WHERE ${ownedSql(row)} AND id = ${row.id} AND (state <> 'asked' OR token = ${row.token})`);
}

/** Locks the booking if it may still become a label, so that this remains true while the statement runs. */
export function lockIfAsked(row: BookingRow): Sql {
  return sql`SELECT FROM bookings WHERE ${ownedSql(row)} AND id = ${row.id} AND state = 'asked' FOR UPDATE`;
}

/** Gives a booking to the label in `claim`. If that does not settle the booking, the key is checked again once no late call is possible. */
export function holdBooking(deps: Deps, row: BookingRow, reference: string, settles: boolean): Sql {
  const settledCondition = sql`(${settles}::boolean AND turn = ${row.turn})`;
  return sql`
    UPDATE bookings SET state = 'held', reference = ${reference}, problem = NULL, leased_until = ${databaseNow(deps)},
      doubt_until = CASE WHEN ${settledCondition} THEN NULL ELSE doubt_until END,
      due_at = CASE WHEN ${settledCondition} THEN NULL ELSE doubt_until END
    WHERE ${ownedSql(row)} AND id = ${row.id} AND EXISTS (SELECT FROM claim)`;
}

/** Ends the booking of the label whose void is in `claim`, because the carrier has cancelled it. */
export function endVoided(row: BookingRow): Sql {
  return sql`
    UPDATE bookings SET state = 'over', leased_until = clock_timestamp(), due_at = doubt_until, problem = NULL
    WHERE ${ownedSql(row)} AND id = ${row.id} AND state = 'voiding' AND EXISTS (SELECT FROM claim)`;
}

/** Marks the booking clean; if a late call is still possible, schedules another check. */
export async function markClean(deps: Deps, row: BookingRow): Promise<void> {
  await change(deps, row, [
    sql`leased_until = ${databaseNow(deps)}, problem = NULL`,
    row.inDoubt
      ? sql`due_at = doubt_until`
      : sql`due_at = NULL, doubt_until = NULL, state = CASE state WHEN 'cancelling' THEN 'over' ELSE state END`,
  ]);
}

/** Returns the booking to its label, because the carrier refuses to cancel it. */
export async function keepHeld(deps: Deps, row: BookingRow): Promise<void> {
  await change(deps, row, [sql`state = 'held', leased_until = ${databaseNow(deps)}, due_at = doubt_until`]);
}

async function change(deps: Deps, row: BookingRow, changes: Sql[]): Promise<void> {
  await deps.db.run(sql`UPDATE bookings SET ${join(changes)} WHERE ${ownTurnCondition(row)}`);
}

export async function hasLabel(deps: Deps, caller: Caller, shipmentId: string): Promise<boolean> {
  const found = await deps.db.run(sql`
    SELECT FROM labels WHERE ${ownedSql(caller)} AND shipment_id = ${shipmentId}`);
  return found.length > 0;
}

/** Returns true if the shipment's label has a booking. */
export async function isHeld(deps: Deps, caller: Caller, shipmentId: string): Promise<boolean> {
  const found = await deps.db.run(sql`
    SELECT FROM bookings WHERE ${ownedSql(caller)} AND shipment_id = ${shipmentId} AND state IN ('held', 'voiding')`);
  return found.length > 0;
}
