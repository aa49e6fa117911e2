import type { Caller } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/postgres/database";
import sql, { type Sql } from "sql-template-tag";

/** The IDs of the orders that are stored, or of an account's. */
export async function storedOrders(db: Database, accountId?: string): Promise<string[]> {
  const rows = await db.run<{ id: string }>(
    sql`SELECT id FROM orders WHERE ${accountId ?? null}::text IS NULL OR account_id = ${accountId ?? null}`,
  );
  return rows.map(({ id }) => id);
}

/** Removes from an order or shipment who has created it, as older ones have none. */
export async function forgetCreator(db: Database, id: string): Promise<void> {
  for (const forget of [
    sql`UPDATE orders SET origin = NULL WHERE id = ${id}`,
    sql`UPDATE shipments SET origin = NULL WHERE id = ${id}`,
  ])
    await db.run(forget);
}

/** Moves the creation of an account's shipments this many seconds into the past. */
export async function backdateShipments(db: Database, accountId: string, seconds: number): Promise<void> {
  await db.run(sql`
    UPDATE shipments SET created_at = created_at - ${seconds}::float8 * interval '1 second' WHERE account_id = ${accountId}`);
}

/** Runs with a database in which no order can be read or written. */
export async function withoutOrders<Result>(db: Database, run: () => Promise<Result>): Promise<Result> {
  await db.run(sql`ALTER TABLE orders RENAME TO orders_away`);
  try {
    return await run();
  } finally {
    await db.run(sql`ALTER TABLE orders_away RENAME TO orders`);
  }
}

/** A statement that stores so many shipments with labels, the latest first, `shp_aaa…1` and so on. Their search text is not stored. */
export const manyShipments = (
  { accountId, environment }: Caller,
  { count, reference, address }: { count: number; reference: string; address: object },
): Sql => sql`
  INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, label_id, created_at)
  SELECT ${accountId}, ${environment}, 'shp_' || lpad(n::text, 26, 'a'), 'label_created', ${reference}, ${address}::jsonb, ${address}::jsonb, '{}',
    'lbl_' || lpad(n::text, 26, 'a'), now() - n * interval '10 ms'
  FROM generate_series(1, ${count}::integer) AS n`;
