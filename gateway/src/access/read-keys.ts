import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Caller, requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import {
  type FindKeysRequest,
  FindKeysResponseSchema,
  type GetKeyRequest,
  GetKeyResponseSchema,
  type KeySchema,
  type ListKeysRequest,
  ListKeysResponseSchema,
  type NameKeysRequest,
  NameKeysResponseSchema,
} from "@shipping/proto/shipping/access/v1/access_pb";
import sql, { type Sql } from "sql-template-tag";
import { LISTED_KEY, type ListedKey } from "../accounts/manage-keys.js";
import { type GatewayDeps, selectColumns } from "../database/deps.js";
import { bounded, keysToFind, keysToList, keysToName } from "./input.js";

type Deps = Pick<GatewayDeps, "db" | "prisma" | "clockOffsetMs">;

export interface KeyRow extends ListedKey {
  active: boolean;
}

const MAX_FOUND = 20;
/** How many keys of an environment a search reads, newest first: revoked keys are never deleted. */
const MAX_SCANNED = 2_000;

/** The condition that requests with a key are admitted. */
export const isActive = (deps: Pick<Deps, "clockOffsetMs">) =>
  sql`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${databaseNow(deps)}))`;

/** Returns an ID that a key can have. Answers any other as an unknown one. */
export function requireKeyId(id: string): string {
  if (!isId("key", id)) throw fail("not_found", "No such key.");
  return id;
}

/** Reads one key. */
export async function getKey(deps: Deps, request: Pick<GetKeyRequest, "caller" | "id">) {
  const caller = requireCaller(request);
  const [key] = await deps.db.runList<KeyRow>(sql`
    SELECT ${selectColumns(LISTED_KEY, "api_keys")}, ${isActive(deps)} AS active FROM api_keys
    WHERE ${ownedSql(caller)} AND id = ${requireKeyId(request.id)}`);
  if (!key) throw fail("not_found", "No such key.");
  return create(GetKeyResponseSchema, { key: toKey(key) });
}

/** Reads a page of an environment's keys: active ones first, each group newest first. An unknown `after` is ignored. */
export async function listKeys(deps: Deps, request: ListKeysRequest) {
  const caller = requireCaller(request);
  const { limit, after } = bounded(keysToList, request);
  const known =
    after && (await deps.prisma.apiKey.findFirst({ where: { id: after, ...caller }, select: { id: true } }));
  const rows = await deps.db.runList<KeyRow>(selectPage(deps, caller, { after: known ? known.id : "", limit }));
  const keys = rows.slice(0, limit).map(toKey);
  const last = keys.at(-1);
  return create(ListKeysResponseSchema, {
    keys,
    first: !known,
    ...(rows.length > limit && last && { nextCursor: last.id }),
  });
}

function selectPage(deps: Deps, caller: Caller, { after, limit }: { after: string; limit: number }): Sql {
  const owned = sql`FROM api_keys WHERE ${ownedSql(caller)}`;
  const active = isActive(deps);
  const ofAfter = (column: Sql) => sql`(SELECT ${column} ${owned} AND id = ${after})`;
  // The number of inactive keys has no limit. An index serves both parts, and only the rows of the page are read.
  return sql`
    SELECT * FROM (
      (SELECT ${selectColumns(LISTED_KEY, "api_keys")}, true AS active ${owned} AND ${active}
        AND (${after} = '' OR (${ofAfter(active)} AND (created_at, id) < (${ofAfter(sql`created_at`)}, ${after}))))
      UNION ALL
      (SELECT ${selectColumns(LISTED_KEY, "api_keys")}, false ${owned} AND NOT ${active}
        AND (created_at, id) < (CASE WHEN ${ofAfter(active)} THEN 'infinity' ELSE coalesce(${ofAfter(sql`created_at`)}, 'infinity') END, ${after})
        ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}::bigint)) AS listed
    ORDER BY active DESC, "createdAt" DESC, id DESC LIMIT ${limit + 1}::bigint`;
}

/** Finds up to twenty keys by ID, last four characters, or the beginning of the name in any case; newest first. */
export async function findKeys(deps: Deps, request: FindKeysRequest) {
  const caller = requireCaller(request);
  const { text } = bounded(keysToFind, request);
  const keys = await deps.db.runList<KeyRow>(sql`
    SELECT ${selectColumns(LISTED_KEY, "key")}, ${isActive(deps)} AS active FROM (
      SELECT * FROM api_keys WHERE ${ownedSql(caller)} ORDER BY created_at DESC, id DESC LIMIT ${MAX_SCANNED}::bigint
    ) AS key
    WHERE id = ${text} OR last_four = ${text} OR starts_with(lower(name), lower(${text}))
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_FOUND}`);
  return create(FindKeysResponseSchema, { keys: keys.map(toKey) });
}

/** Reads the names of keys of an account. Unknown IDs are left out. */
export async function nameKeys(deps: Deps, request: NameKeysRequest) {
  const { accountId, ids } = bounded(keysToName, request);
  // Prisma makes a parameter of each ID, which costs more than the answer.
  const keys = await deps.db.runList<{ id: string; name: string | null; lastFour: string }>(sql`
    SELECT id, name, last_four AS "lastFour" FROM api_keys WHERE account_id = ${accountId} AND id = ANY(${ids}::text[])`);
  const named = keys.map(({ id, name, lastFour }) => ({ id, lastFour, ...(name !== null && { name }) }));
  return create(NameKeysResponseSchema, { keys: named });
}

/** Converts a row to its message. */
export function toKey(row: KeyRow): MessageInitShape<typeof KeySchema> {
  const { id, environment, name, lastFour, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, active } = row;
  return {
    ...{ id, environment, lastFour, scopes, active },
    createdAt: createdAt.toISOString(),
    ...(name !== null && { name }),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}
