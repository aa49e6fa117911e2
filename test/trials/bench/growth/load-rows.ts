import { createHash } from "node:crypto";
import { fingerprint } from "@shipping/gateway/idempotency/registry";
import type { Database } from "@shipping/kit/postgres/database";
import sql, { type Sql } from "sql-template-tag";
import { parcelBody } from "../seed.js";

/** The databases into which rows are loaded: an owner's and the gateway's. */
export interface Stores {
  records: Database;
  gateway: Database;
}

/** Rows per statement: few enough for the pool's limit of five seconds on a slow disk. */
const CHUNK = 5_000;
const VACUUM_MS = 600_000;

/**
 * Gives each account shipments up to `until`, counted from `from`, with their ledger and registry rows, as if the API had created them.
 * PostgreSQL makes the rows itself, in the order of its indexes: none of them has to cross the wire.
 */
export async function loadRows(
  stores: Stores,
  accountIds: readonly string[],
  range: { from: number; until: number },
): Promise<void> {
  for (const accountId of accountIds) {
    for (let first = range.from; first < range.until; first += CHUNK) {
      const last = Math.min(first + CHUNK, range.until) - 1;
      await Promise.all([
        stores.records.run(recordsChunk(accountId, first, last)),
        stores.gateway.run(registryChunk(accountId, first, last)),
      ]);
    }
  }
  await Promise.all([tidy(stores.records), tidy(stores.gateway)]);
}

// Does the work of autovacuum, which would have run if the rows had come one by one. It takes longer than the pool allows a statement.
async function tidy({ pool }: Database): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("SET statement_timeout = 0");
    await client.query({ text: "VACUUM (ANALYZE)", query_timeout: VACUUM_MS } as { text: string });
  } finally {
    client.release(true);
  }
}

/** The ID of an account's shipment by its number: as random as a real one, but computable. */
export function shipmentId(accountId: string, number: number): string {
  const hex = createHash("md5").update(`${accountId}/${number}`).digest("hex");
  return `shp_${hex.slice(0, 25).replace(/./g, letter)}a`;
}

/** An ID below which this share of an account's shipments lies. */
export function idAt(share: number): string {
  const digits = Math.floor(Math.min(share, 1 - 2 ** -40) * 2 ** 40);
  return `shp_${digits.toString(16).padStart(10, "0").replace(/./g, letter)}${"a".repeat(16)}`;
}

/** The idempotency key of its creation. */
export function idempotencyKey(accountId: string, number: number): string {
  return `load-${createHash("md5").update(`${accountId}/key/${number}`).digest("hex")}`;
}

// The first 16 letters of an id's alphabet stand for the hexadecimal digits; an id's last letter is one of eight, `a` among them.
const LETTERS = "abcdefghijklmnop";
const HEX = "0123456789abcdef";

function letter(digit: string): string {
  return LETTERS.charAt(HEX.indexOf(digit));
}

const { from, to, parcel, reference, metadata } = parcelBody;
const CREATED_AT = "2026-01-01T00:00:00.000Z";
const FINGERPRINT = fingerprint("POST", "/shipments", parcelBody);
// The response to a creation, without the ID at its beginning.
const given = { object: "shipment", status: "draft", ...parcelBody, livemode: false, created_at: CREATED_AT };
const REST_OF_BODY = `",${JSON.stringify(given).slice(1)}`;

function made(accountId: string, first: number, last: number): Sql {
  return sql`made AS MATERIALIZED (
    SELECT 'shp_' || translate(left(md5(${accountId} || '/' || n), 25), ${HEX}, ${LETTERS}) || 'a' AS id,
      'load-' || md5(${accountId} || '/key/' || n) AS idempotency_key
    FROM generate_series(${first}::integer, ${last}::integer) AS n)`;
}

function recordsChunk(accountId: string, first: number, last: number): Sql {
  return sql`
    WITH ${made(accountId, first, last)},
    shipment AS (
      INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at)
      SELECT ${accountId}, 'sandbox', id, 'draft', ${reference}, ${JSON.stringify(from)}::jsonb, ${JSON.stringify(to)}::jsonb,
        ${JSON.stringify(parcel)}::jsonb, ${JSON.stringify(metadata)}, ${CREATED_AT}::timestamptz
      FROM made ORDER BY id)
    INSERT INTO ledger (account_id, environment, idempotency_key, token, kind, fingerprint, status, body)
    SELECT ${accountId}, 'sandbox', idempotency_key, 1, 'result', ${FINGERPRINT}::bytea, 201,
      convert_to('{"id":"' || id || ${REST_OF_BODY}, 'UTF8')
    FROM made ORDER BY idempotency_key`;
}

function registryChunk(accountId: string, first: number, last: number): Sql {
  return sql`
    WITH ${made(accountId, first, last)}
    INSERT INTO idempotency_registry (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts)
    SELECT ${accountId}, 'sandbox', idempotency_key, ${FINGERPRINT}::bytea, 'records', 'done', 1, 1
    FROM made ORDER BY idempotency_key`;
}
