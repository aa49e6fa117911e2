import type { LedgerContext } from "@shipping/kit/ledger/ledger";
import sql, { type Sql } from "sql-template-tag";
import { ledgerIdentity } from "./key-ring.js";
import { secretIdentity } from "./subscription.js";

/** A table that holds sealed bytes. `sealed_with` is the database's function for the id of the key; each table has an index on it. */
export interface SealedRows<Row extends { sealed: Buffer } = { sealed: Buffer }> {
  /** Selects some rows that one of these keys has sealed. */
  select(keyIds: readonly string[], limit: number): Sql;
  /** The identity to which a row's bytes are sealed. */
  identityOf(row: Row): readonly string[];
  /** Replaces the bytes of each row that still holds the bytes that were read, and returns a row for each. Locks by primary key. */
  replace(rows: readonly Row[], resealed: readonly Uint8Array[]): Sql;
  /** Selects the IDs of the keys with which its rows are sealed. */
  keyIds: Sql;
}

interface SealedSecret {
  id: string;
  sealed: Buffer;
}

/** The secrets of subscriptions. */
export const sealedSecrets: SealedRows<SealedSecret> = {
  select: (keyIds, limit) => sql`
    SELECT id, secret AS sealed FROM subscriptions WHERE sealed_with(secret) = ANY(${keyIds}::text[]) LIMIT ${limit}`,
  identityOf: (row) => secretIdentity(row.id),
  // NO KEY: deliveries that are being inserted refer to the subscription and must not wait.
  replace: (rows, resealed) => sql`
    UPDATE subscriptions AS s SET secret = held.resealed
    FROM (
      SELECT s.id, read.resealed
      FROM unnest(
        ${rows.map((row) => row.id)}::text[],
        ${rows.map((row) => row.sealed)}::bytea[],
        ${resealed}::bytea[]
      ) AS read (id, sealed, resealed)
      JOIN subscriptions AS s ON s.id = read.id AND s.secret = read.sealed
      ORDER BY s.id FOR NO KEY UPDATE OF s
    ) AS held
    WHERE s.id = held.id RETURNING s.id`,
  keyIds: distinctKeys(sql`subscriptions`, sql`sealed_with(secret)`, sql`true`),
};

interface SealedBody extends LedgerContext {
  sealed: Buffer;
}

/** The answers in the ledger, some of which show a secret. */
export const sealedBodies: SealedRows<SealedBody> = {
  select: (keyIds, limit) => sql`
    SELECT account_id AS "accountId", environment, idempotency_key AS "idempotencyKey", body AS sealed
    FROM ledger WHERE kind = 'result' AND sealed_with(body) = ANY(${keyIds}::text[]) LIMIT ${limit}`,
  identityOf: ledgerIdentity,
  replace: (rows, resealed) => sql`
    UPDATE ledger AS l SET body = held.resealed
    FROM (
      SELECT l.account_id, l.environment, l.idempotency_key, read.resealed
      FROM unnest(
        ${rows.map((row) => row.accountId)}::text[],
        ${rows.map((row) => row.environment)}::text[],
        ${rows.map((row) => row.idempotencyKey)}::text[],
        ${rows.map((row) => row.sealed)}::bytea[],
        ${resealed}::bytea[]
      ) AS read (account_id, environment, idempotency_key, sealed, resealed)
      JOIN ledger AS l USING (account_id, environment, idempotency_key)
      WHERE l.body = read.sealed
      ORDER BY l.account_id, l.environment, l.idempotency_key FOR NO KEY UPDATE OF l
    ) AS held
    WHERE l.account_id = held.account_id AND l.environment = held.environment AND l.idempotency_key = held.idempotency_key
    RETURNING l.idempotency_key`,
  keyIds: distinctKeys(sql`ledger`, sql`sealed_with(body)`, sql`kind = 'result'`),
};

// Steps from key to key along the index; a DISTINCT would read every row.
function distinctKeys(table: Sql, keyId: Sql, held: Sql): Sql {
  return sql`
    WITH RECURSIVE used AS (
      SELECT (SELECT min(${keyId}) FROM ${table} WHERE ${held}) AS id
      UNION ALL
      SELECT (SELECT min(${keyId}) FROM ${table} WHERE ${held} AND ${keyId} > used.id) FROM used WHERE used.id IS NOT NULL)
    SELECT id FROM used WHERE id IS NOT NULL`;
}
