import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { type Sql } from "sql-template-tag";
import type { Database } from "../postgres/database.js";

/**
 * Stores an event in an owner's outbox as a process does that dies before it publishes it: committed `ageMs` ago, and left to the other
 * processes in `leasedForMs`, which is at most ten seconds.
 */
export async function storeInOutbox(
  db: Database,
  { id, type, accountId, environment, body }: Event,
  { ageMs = 0, leasedForMs = 0 } = {},
): Promise<void> {
  await db.run(sql`
    INSERT INTO outbox (event_id, type, account_id, environment, body, created_at, leased_until)
    VALUES (${id}, ${type}, ${accountId}, ${environment}, ${body},
      now() - ${ageMs}::float8 * interval '1 ms', now() + ${leasedForMs}::float8 * interval '1 ms')`);
}

/** Deletes an event from an owner's outbox, as if it had arrived. */
export async function deleteFromOutbox(db: Database, eventId: string): Promise<void> {
  await db.run(sql`DELETE FROM outbox WHERE event_id = ${eventId}`);
}

/** The highest token in an owner's ledger; 0 if it is empty. */
export async function highestToken(db: Database): Promise<bigint> {
  const [ledger] = await db.run<{ token: bigint }>(sql`SELECT coalesce(max(token), 0) AS token FROM ledger`);
  return ledger?.token ?? 0n;
}

/** A statement for the idempotency keys of the results that an owner's ledger holds. */
export const keysOfResults: Sql = sql`SELECT idempotency_key AS key FROM ledger WHERE kind = 'result'`;

/** Deletes all events from an owner's outbox, as if all had arrived. */
export async function emptyOutbox(db: Database): Promise<void> {
  await db.run(sql`DELETE FROM outbox`);
}
