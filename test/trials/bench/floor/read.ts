import type { JsonValue } from "@bufbuild/protobuf";
import type { Database } from "@shipping/kit/postgres/database";
import sql, { type Sql } from "sql-template-tag";

/** A stored shipment. */
interface FloorShipment {
  id: string;
  status: string;
  reference: string;
  sender: JsonValue;
  recipient: JsonValue;
  parcel: JsonValue;
  metadata: string | null;
  label_id: string | null;
  created_at: Date;
}

const columns = sql`id, status, reference, sender, recipient, parcel, metadata, label_id, created_at`;

/** The row of a statement that must have one. */
async function one<Row>(db: Database, statement: Sql): Promise<Row> {
  const [row] = await db.run<Row>(statement);
  if (!row) throw new Error(`There is no row: ${statement.text}`);
  return row;
}

/** Reads a shipment. */
export function readShipment(db: Database, accountId: string, id: string): Promise<FloorShipment> {
  return one(
    db,
    sql`SELECT ${columns} FROM shipments WHERE account_id = ${accountId} AND environment = 'sandbox' AND id = ${id}`,
  );
}

/** Reads a page of shipments, and one more that shows whether there is a next page. */
export function listShipments(db: Database, accountId: string, after: string, limit: number): Promise<FloorShipment[]> {
  return db.run<FloorShipment>(sql`
    SELECT ${columns} FROM shipments
    WHERE account_id = ${accountId} AND environment = 'sandbox' AND id > ${after} ORDER BY id LIMIT ${limit + 1}`);
}

/** Reads a label's file. */
export async function readLabelFile(db: Database, accountId: string, labelId: string): Promise<Buffer> {
  const file = await one<{ pdf: Buffer }>(
    db,
    sql`SELECT pdf FROM label_files WHERE account_id = ${accountId} AND environment = 'sandbox' AND label_id = ${labelId}`,
  );
  return file.pdf;
}

/** Reads the stored response of an idempotency key. */
export function readAnswer(db: Database, accountId: string, key: string): Promise<{ status: number; body: Buffer }> {
  return one(
    db,
    sql`SELECT status, body FROM ledger WHERE account_id = ${accountId} AND environment = 'sandbox' AND idempotency_key = ${key}`,
  );
}

/** Whether an account has used up its limit. */
export async function isLimited(db: Database, accountId: string): Promise<boolean> {
  return (await one<{ limited: boolean }>(db, sql`SELECT limited FROM accounts WHERE id = ${accountId}`)).limited;
}

/** A shipment in the form of a response. */
export function shown(row: FloorShipment): Record<string, unknown> {
  return {
    id: row.id,
    object: "shipment",
    status: row.status,
    reference: row.reference,
    from: row.sender,
    to: row.recipient,
    parcel: row.parcel,
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }),
    ...(row.label_id === null ? {} : { label_id: row.label_id }),
    livemode: false,
    created_at: row.created_at.toISOString(),
  };
}
