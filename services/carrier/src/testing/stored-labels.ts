import type { Caller } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/postgres/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql, { type Sql } from "sql-template-tag";

interface StoredLabel {
  id: string;
  shipmentId: string;
  status: string;
  trackingNumber: string;
}

/** The labels of an account, or of several. */
export function storedLabels(db: Database, accountId: string | readonly string[]): Promise<StoredLabel[]> {
  return rowsIn<StoredLabel>(db, "labels", { accountId });
}

/** Replaces a label's file by something that is no PDF. */
export async function spoilLabelFile(db: Database, labelId: string): Promise<void> {
  await db.run(sql`UPDATE label_files SET pdf = 'hello' WHERE label_id = ${labelId}`);
}

/** A statement that locks the files of an account's labels, so that they cannot be deleted. */
export const lockLabelFiles = (accountId: string): Sql =>
  sql`SELECT FROM label_files WHERE account_id = ${accountId} FOR UPDATE`;

/** Removes from a label its rate and who has created it, as older ones have neither. */
export async function forgetCreation(db: Database, labelId: string): Promise<void> {
  await db.run(sql`UPDATE labels SET rate = NULL, origin = NULL WHERE id = ${labelId}`);
}

/** The key or member by whom a label was voided. */
export async function voidedBy(db: Database, labelId: string): Promise<string> {
  const [label] = await rowsIn<{ voidOrigin: string }>(db, "labels", { id: labelId });
  return String(label?.voidOrigin).split(" ")[2] ?? "";
}

/** The IDs of the events about a label's void that are still in the outbox, which they leave minutes after their arrival. */
export async function voidEvents(db: Database, labelId: string): Promise<string[]> {
  const rows = await rowsIn<{ eventId: string; body: Buffer }>(db, "outbox", { type: "label.voided" });
  return rows.filter(({ body }) => body.includes(labelId)).map(({ eventId }) => eventId);
}

/**
 * A statement that stores so many labels without files, the latest first, `lbl_aaa…1` and so on, of the shipments `shp_aaa…1` and so on. `end` is
 * the end of these IDs, and two labels are created `everyMs` apart.
 */
export const manyLabels = (
  { accountId, environment }: Caller,
  count: number,
  { end = "", everyMs = 10 }: { end?: string; everyMs?: number } = {},
): Sql => sql`
  INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
  SELECT ${accountId}, ${environment}, 'lbl_' || lpad(n::text, ${26 - end.length}::integer, 'a') || ${end},
    'shp_' || lpad(n::text, ${26 - end.length}::integer, 'a') || ${end}, 'created', 'test', 'TEST' || n || ${end},
    now() - n * ${everyMs}::float8 * interval '1 ms'
  FROM generate_series(1, ${count}::integer) AS n`;

/** A statement that gives the labels of `manyLabels` a file each: that of another label. */
export const manyLabelFiles = ({ accountId, environment }: Caller, like: string): Sql => sql`
  INSERT INTO label_files (account_id, environment, label_id, pdf)
  SELECT account_id, environment, id, (SELECT pdf FROM label_files WHERE label_id = ${like}) FROM labels
  WHERE account_id = ${accountId} AND environment = ${environment} AND carrier = 'test'`;
