import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";

interface StoredEvent {
  id: string;
  type: string;
  body: Buffer;
}

/** The events that webhooks has stored: all, or those of these accounts and types. */
export function storedEvents(
  db: Database,
  where: { accountId?: string | readonly string[]; type?: readonly string[] } = {},
): Promise<StoredEvent[]> {
  return rowsIn<StoredEvent>(db, "events", where);
}

/** The IDs of an account's events that a receiver has accepted. */
export async function deliveredEvents(db: Database, accountId: string): Promise<string[]> {
  const rows = await db.run<{ id: string }>(sql`
    SELECT id FROM events
    WHERE account_id = ${accountId} AND EXISTS (SELECT FROM deliveries WHERE event_id = id AND state = 'delivered')`);
  return rows.map(({ id }) => id);
}

/** Moves the arrival of an account's events of a type this many minutes into the past. */
export async function backdateEvents(
  db: Database,
  { accountId, type }: { accountId: string; type: string },
  minutes: number,
): Promise<void> {
  await db.run(sql`
    UPDATE events SET received_at = received_at - ${minutes}::float8 * interval '1 minute'
    WHERE account_id = ${accountId} AND type = ${type}`);
}

/** Stores a message as one that webhooks could not read, and returns its number. */
export async function storeDeadEvent(
  db: Database,
  { message, reason = "not protobuf" }: { message: Uint8Array; reason?: string },
): Promise<string> {
  const [row] = await db.run<{ id: bigint }>(sql`
    INSERT INTO dead_events (message, kind, reason, received_at) VALUES (${message}, 'unreadable', ${reason}, now()) RETURNING id`);
  return String(row?.id);
}

/** Gives the database the tokens of an older backup, which the event stream does not know. False if webhooks has not stored an owner yet. */
export async function forgetStreamTokens(db: Database): Promise<boolean> {
  return (await db.run(sql`UPDATE stream_owner SET tokens = ARRAY['tok_older'] RETURNING id`)).length > 0;
}

/** Deletes an event, as if it had never arrived. */
export async function loseEvent(db: Database, id: string): Promise<void> {
  await db.run(sql`DELETE FROM deliveries WHERE event_id = ${id}`);
  await db.run(sql`DELETE FROM events WHERE id = ${id}`);
}
