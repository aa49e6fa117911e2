import { create } from "@bufbuild/protobuf";
import type { LedgerContext } from "@shipping/kit/ledger/ledger";
import { RotateSecretsResponseSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql, { type Sql } from "sql-template-tag";
import type { SubscriptionDeps } from "./deps.js";
import { ledgerIdentity } from "./key-ring.js";
import { secretIdentity } from "./subscription.js";

/** The limits of one call, so that it ends well within a deadline: rows per statement, and statements per table. */
const LIMITS = { rows: 200, batches: 25 };

/**
 * Takes everything that older keys of the ring have sealed, seals it again with the first key, and returns which keys are still needed. A
 * row is replaced only if it is unchanged since it was read, so calls may overlap, and an interrupted call is simply repeated.
 */
export async function rotateSecrets(deps: SubscriptionDeps, limits = LIMITS) {
  const [writingKeyId, ...older] = deps.keyRing.ids;
  const subscriptions = await reseal(deps, sealedSecrets, older, limits);
  const ledgerBodies = await reseal(deps, sealedBodies, older, limits);
  const used = await keysInUse(deps);
  return create(RotateSecretsResponseSchema, {
    writingKeyId,
    subscriptions,
    ledgerBodies,
    usedKeyIds: older.filter((id) => used.has(id)),
    unusedKeyIds: older.filter((id) => !used.has(id)),
    missingKeyIds: missingKeys(deps, used),
  });
}

/** Throws if secrets are sealed with a key that the ring lacks: their deliveries would use up attempts without sending a request. */
export async function requireKeys(deps: SubscriptionDeps): Promise<void> {
  const missing = missingKeys(deps, await keysInUse(deps));
  if (missing.length === 0) return;
  throw new Error(
    `Secrets are encrypted with ${missing.join(", ")}, which is not in SECRETS_KEYS. Add it after the other keys.`,
  );
}

async function reseal<Row extends { sealed: Buffer }>(
  deps: SubscriptionDeps,
  table: SealedRows<Row>,
  older: readonly string[],
  limits: typeof LIMITS,
): Promise<number> {
  let resealed = 0;
  for (let batch = 0; batch < limits.batches; batch++) {
    const rows = await deps.db.run<Row>(table.select(older, limits.rows));
    const opened = rows.flatMap((row) => reopened(deps, table, row));
    // Rows that cannot be opened are selected again each time. If there are no others, the work is done.
    if (opened.length === 0) break;
    const replaced = await deps.db.run(
      table.replace(
        opened.map(({ row }) => row),
        opened.map((one) => one.resealed),
      ),
    );
    resealed += replaced.length;
  }
  return resealed;
}

// A row that cannot be opened keeps its key in use, but does not stop the others.
function reopened<Row extends { sealed: Buffer }>(deps: SubscriptionDeps, table: SealedRows<Row>, row: Row) {
  const identity = table.toIdentity(row);
  try {
    return [{ row, resealed: deps.keyRing.seal(deps.keyRing.open(row.sealed, identity), identity) }];
  } catch (err) {
    deps.log.error({ err, identity }, "a secret cannot be decrypted");
    return [];
  }
}

async function keysInUse(deps: SubscriptionDeps): Promise<Set<string>> {
  const rows = await Promise.all(
    [sealedSecrets, sealedBodies].map(({ keyIds }) => deps.db.run<{ id: string }>(keyIds)),
  );
  return new Set(rows.flat().map(({ id }) => id));
}

function missingKeys(deps: SubscriptionDeps, used: ReadonlySet<string>): string[] {
  return [...used].filter((id) => !deps.keyRing.ids.includes(id));
}

/** A table that holds sealed bytes. `sealed_with` is the database's function for the id of the key; each table has an index on it. */
interface SealedRows<Row extends { sealed: Buffer } = { sealed: Buffer }> {
  /** Selects some rows that one of these keys has sealed. */
  select(keyIds: readonly string[], limit: number): Sql;
  /** The identity to which a row's bytes are sealed. */
  toIdentity(row: Row): readonly string[];
  /** Replaces the bytes of each row that still holds the bytes that were read, and returns a row for each. Locks by primary key. */
  replace(rows: readonly Row[], resealed: readonly Uint8Array[]): Sql;
  /** Selects the IDs of the keys with which its rows are sealed. */
  keyIds: Sql;
}

const sealedSecrets: SealedRows<{ id: string; sealed: Buffer }> = {
  select: (keyIds, limit) => sql`
    SELECT id, secret AS sealed FROM subscriptions WHERE sealed_with(secret) = ANY(${keyIds}::text[]) LIMIT ${limit}`,
  toIdentity: (row) => secretIdentity(row.id),
  // NO KEY: deliveries that are being inserted refer to the subscription and must not wait.
  replace: (rows, resealed) => sql`
    UPDATE subscriptions AS s SET secret = locked.resealed
    FROM (
      SELECT s.id, read.resealed
      FROM unnest(
        ${rows.map((row) => row.id)}::text[],
        ${rows.map((row) => row.sealed)}::bytea[],
        ${resealed}::bytea[]
      ) AS read (id, sealed, resealed)
      JOIN subscriptions AS s ON s.id = read.id AND s.secret = read.sealed
      ORDER BY s.id FOR NO KEY UPDATE OF s
    ) AS locked
    WHERE s.id = locked.id RETURNING s.id`,
  keyIds: distinctKeys(sql`subscriptions`, sql`sealed_with(secret)`, sql`true`),
};

/** The answers in the ledger, some of which show a secret. */
const sealedBodies: SealedRows<LedgerContext & { sealed: Buffer }> = {
  select: (keyIds, limit) => sql`
    SELECT account_id AS "accountId", environment, idempotency_key AS "idempotencyKey", body AS sealed
    FROM ledger WHERE kind = 'result' AND sealed_with(body) = ANY(${keyIds}::text[]) LIMIT ${limit}`,
  toIdentity: ledgerIdentity,
  replace: (rows, resealed) => sql`
    UPDATE ledger AS l SET body = locked.resealed
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
    ) AS locked
    WHERE l.account_id = locked.account_id AND l.environment = locked.environment AND l.idempotency_key = locked.idempotency_key
    RETURNING l.idempotency_key`,
  keyIds: distinctKeys(sql`ledger`, sql`sealed_with(body)`, sql`kind = 'result'`),
};

// Steps from key to key along the index; a DISTINCT would read every row.
function distinctKeys(table: Sql, keyId: Sql, condition: Sql): Sql {
  return sql`
    WITH RECURSIVE used AS (
      SELECT (SELECT min(${keyId}) FROM ${table} WHERE ${condition}) AS id
      UNION ALL
      SELECT (SELECT min(${keyId}) FROM ${table} WHERE ${condition} AND ${keyId} > used.id) FROM used WHERE used.id IS NOT NULL)
    SELECT id FROM used WHERE id IS NOT NULL`;
}
