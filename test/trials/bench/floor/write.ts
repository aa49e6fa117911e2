import { createHash, randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import sql, { type Sql } from "sql-template-tag";

/** A write: its account, its idempotency key, and the client's body. */
export interface FloorWrite {
  accountId: string;
  idempotencyKey: string;
  body: Record<string, unknown>;
}

/** The CTE `claim`: the row that stores the response for replays. */
export function keepAnswer({ accountId, idempotencyKey, body }: FloorWrite, status: number, data: string): Sql {
  const fingerprint = createHash("sha256").update(JSON.stringify(body)).digest();
  return sql`
    INSERT INTO ledger (account_id, environment, idempotency_key, fingerprint, status, body)
    VALUES (${accountId}, 'sandbox', ${idempotencyKey}, ${fingerprint}, ${status}, ${Buffer.from(data)})
    ON CONFLICT DO NOTHING RETURNING status`;
}

/** The CTE that stores the event. */
export function keepEvent(type: string, accountId: string, data: string, now: Date): Sql {
  const id = newId("evt", randomBytes);
  const head = JSON.stringify({ id, type, livemode: false, created_at: now.toISOString() });
  return sql`
    INSERT INTO outbox (event_id, type, account_id, environment, body, created_at)
    SELECT ${id}, ${type}, ${accountId}, 'sandbox', ${Buffer.from(`${head.slice(0, -1)},"data":${data}}`)}, ${now} FROM claim`;
}

/** Creates an order or a shipment with its response and its event in one statement, and yields the response. */
export async function createRecord(db: Database, kind: "order" | "shipment", write: FloorWrite): Promise<string> {
  const { accountId, body } = write;
  const now = new Date();
  const isOrder = kind === "order";
  const id = newId(isOrder ? "ord" : "shp", randomBytes);
  const status = isOrder ? "received" : "draft";
  const data = JSON.stringify({ id, object: kind, status, ...body, livemode: false, created_at: now.toISOString() });
  const table = isOrder ? sql`orders` : sql`shipments`;
  await db.run(sql`
    WITH claim AS (${keepAnswer(write, 201, data)}),
    created AS (
      INSERT INTO ${table} (account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at)
      SELECT ${accountId}, 'sandbox', ${id}, ${status}, ${body.reference}, ${JSON.stringify(body.from)},
        ${JSON.stringify(body.to)}, ${JSON.stringify(body.parcel)}, ${metadataOf(body)}, ${now} FROM claim),
    emitted AS (${keepEvent(`${kind}.created`, accountId, data, now)})
    SELECT status FROM claim`);
  return data;
}

function metadataOf({ metadata }: Record<string, unknown>): string | null {
  return metadata === undefined ? null : JSON.stringify(metadata);
}
