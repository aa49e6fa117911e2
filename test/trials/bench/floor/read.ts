import type { JsonValue } from "@bufbuild/protobuf";
import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";

/** A stored shipment. */
export interface FloorShipment {
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

/** Reads a shipment that must exist. */
export async function readShipment(db: Database, accountId: string, id: string): Promise<FloorShipment> {
  const [row] = await db.run<FloorShipment>(sql`
    SELECT ${columns} FROM shipments WHERE account_id = ${accountId} AND environment = 'sandbox' AND id = ${id}`);
  if (!row) throw new Error("No such shipment.");
  return row;
}

/** Reads a page of shipments, and one more that shows whether there is a next page. */
export function listShipments(db: Database, accountId: string, after: string, limit: number): Promise<FloorShipment[]> {
  return db.run<FloorShipment>(sql`
    SELECT ${columns} FROM shipments
    WHERE account_id = ${accountId} AND environment = 'sandbox' AND id > ${after} ORDER BY id LIMIT ${limit + 1}`);
}

/** Reads a label's file. */
export async function readLabelFile(db: Database, accountId: string, labelId: string): Promise<Buffer> {
  const [row] = await db.run<{ pdf: Buffer }>(sql`
    SELECT pdf FROM label_files WHERE account_id = ${accountId} AND environment = 'sandbox' AND label_id = ${labelId}`);
  if (!row) throw new Error("No such label.");
  return row.pdf;
}

/** Reads the stored response of an idempotency key. */
export async function readAnswer(
  db: Database,
  accountId: string,
  key: string,
): Promise<{ status: number; body: Buffer }> {
  const [row] = await db.run<{ status: number; body: Buffer }>(sql`
    SELECT status, body FROM ledger
    WHERE account_id = ${accountId} AND environment = 'sandbox' AND idempotency_key = ${key}`);
  if (!row) throw new Error("No such answer.");
  return row;
}

/** Whether an account has used up its limit. */
export async function isLimited(db: Database, accountId: string): Promise<boolean> {
  const [row] = await db.run<{ limited: boolean }>(sql`SELECT limited FROM accounts WHERE id = ${accountId}`);
  if (!row) throw new Error("No such account.");
  return row.limited;
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
