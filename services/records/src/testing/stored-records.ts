import type { Caller } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/postgres/database";
import sql, { raw, type Sql } from "sql-template-tag";
import { hashRecent } from "../search/hash-recent.js";
import { toSearchText } from "../search/search-text.js";

/** The IDs of the orders that are stored, or of those of these accounts. */
export async function storedOrders(db: Database, accountId?: string | readonly string[]): Promise<string[]> {
  const accounts = accountId === undefined ? null : [accountId].flat();
  const rows = await db.run<{ id: string }>(
    sql`SELECT id FROM orders WHERE ${accounts}::text[] IS NULL OR account_id = ANY(${accounts}::text[])`,
  );
  return rows.map(({ id }) => id);
}

/** The shipments of these accounts, with their statuses. */
export function storedShipments(
  db: Database,
  accountIds: readonly string[],
): Promise<{ id: string; status: string }[]> {
  return db.run<{ id: string; status: string }>(
    sql`SELECT id, status FROM shipments WHERE account_id = ANY(${accountIds}::text[])`,
  );
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

/** Shipments of which many are stored. `end` is the end of their IDs, and two of them are created `everyMs` apart. */
interface ManyShipments {
  count: number;
  reference: string;
  address: object;
  end?: string;
  everyMs?: number;
}

/** A statement that stores so many shipments with labels, the latest first, `shp_aaa…1` and so on. Their search text is not stored. */
export const manyShipments = (
  { accountId, environment }: Caller,
  { count, reference, address, end = "", everyMs = 10 }: ManyShipments,
): Sql => sql`
  INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, label_id, created_at)
  SELECT ${accountId}, ${environment}, 'shp_' || lpad(n::text, ${26 - end.length}::integer, 'a') || ${end}, 'label_created', ${reference},
    ${address}::jsonb, ${address}::jsonb, '{}', 'lbl_' || lpad(n::text, ${26 - end.length}::integer, 'a') || ${end},
    now() - n * ${everyMs}::float8 * interval '1 ms'
  FROM generate_series(1, ${count}::integer) AS n`;

/** Lets all shipments of a caller, which have the same reference and address, be found by words, as the worker of the search does it. */
export async function findableShipments(db: Database, caller: Caller): Promise<void> {
  const { accountId, environment } = caller;
  const [row] = await db.run<Parameters<typeof toSearchText>[0]>(sql`
    SELECT reference, sender AS "from", recipient AS "to" FROM shipments
    WHERE account_id = ${accountId} AND environment = ${environment} LIMIT 1`);
  const text = toSearchText(row!);
  await db.run(sql`
    INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
    SELECT account_id, environment, id, created_at, ${text} FROM shipments WHERE account_id = ${accountId} AND environment = ${environment}`);
  while (await hashRecent({ db }, { ...caller, table: "shipments" }));
}

type RecordTable = "orders" | "shipments";

const searchTables = (table: RecordTable) => {
  const name = table === "orders" ? "order_search" : "shipment_search";
  return [name, `${name}_recent`].map((one) => raw(one));
};

/** Deletes a record's search rows, as if they had never been written. */
export async function loseSearch(db: Database, table: RecordTable, id: string): Promise<void> {
  for (const search of searchTables(table)) await db.run(sql`DELETE FROM ${search} WHERE id = ${id}`);
}

/** Replaces a record's search text by one that says nothing of it. */
export async function spoilSearch(db: Database, table: RecordTable, id: string): Promise<void> {
  for (const search of searchTables(table)) await db.run(sql`UPDATE ${search} SET text = ' stale ' WHERE id = ${id}`);
}

/** Stores a search text of a record that does not exist, like that of another. */
export async function inventSearch(db: Database, table: RecordTable, id: string, like: string): Promise<void> {
  const [, recent] = searchTables(table);
  await db.run(sql`
    INSERT INTO ${recent!} SELECT account_id, environment, ${id}, created_at, text FROM ${recent!} WHERE id = ${like}`);
}

/** Whether there is a search text of this record. */
export async function isSearched(db: Database, table: RecordTable, id: string): Promise<boolean> {
  const rows = await Promise.all(
    searchTables(table).map((search) => db.run(sql`SELECT FROM ${search} WHERE id = ${id}`)),
  );
  return rows.flat().length > 0;
}

/** Makes a shipment a draft again, as if it had never heard of its label. */
export async function forgetLabel(db: Database, shipmentId: string): Promise<void> {
  await db.run(sql`UPDATE shipments SET status = 'draft', label_id = NULL WHERE id = ${shipmentId}`);
}
