import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import {
  type CreateKeyRequest,
  CreateKeyResponseSchema,
  type ListKeysRequest,
  ListKeysResponseSchema,
  type RevokeKeyRequest,
  RevokeKeyResponseSchema,
} from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import sql from "sql-template-tag";
import { bounded } from "../access/input.js";
import { isActive, type KeyRow, toKey } from "../access/read-keys.js";
import { requireAccount } from "../accounts/manage-accounts.js";
import * as keys from "../accounts/manage-keys.js";
import { type GatewayDeps, selectColumns } from "../database/deps.js";
import { createdBy } from "./acts.js";
import { keysToList, keyToStore, named } from "./input.js";

type Deps = Pick<GatewayDeps, "db" | "prisma" | "now" | "random" | "clockOffsetMs">;

/** Stores the key of an act, which the operator's command has made. */
export async function createKey(deps: Deps, request: CreateKeyRequest, act: string) {
  const key = { ...bounded(keyToStore, request), ...requireCaller(request), id: createdBy(act, "key") };
  const { expiresAt } = await keys.storeOperatorsKey(deps, key);
  return create(CreateKeyResponseSchema, { id: key.id, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) });
}

/** Reads a page of an account's keys, oldest first. */
export async function listKeys(deps: Deps, request: ListKeysRequest) {
  const { accountId, limit, after = "" } = bounded(keysToList, request);
  await requireAccount(deps, accountId);
  const rows = await deps.db.runList<KeyRow>(sql`
    SELECT ${selectColumns(keys.LISTED_KEY, "api_keys")}, ${isActive(deps)} AS active FROM api_keys
    WHERE account_id = ${accountId}
      AND (${after} = '' OR (created_at, id) > (SELECT k.created_at, k.id FROM api_keys k WHERE k.id = ${after}))
    ORDER BY created_at, id LIMIT ${limit + 1}::bigint`);
  const page = rows.slice(0, limit);
  return create(ListKeysResponseSchema, {
    keys: page.map(toKey),
    ...(rows.length > limit && { nextCursor: page.at(-1)!.id }),
  });
}

/** Revokes a key, effective from its next request. */
export async function revokeKey(deps: Deps, request: RevokeKeyRequest) {
  const { revokedAt } = await keys.revokeKey(deps, bounded(named, request));
  return create(RevokeKeyResponseSchema, { revokedAt: revokedAt.toISOString() });
}
