import type { Client } from "@connectrpc/connect";
import { type Failure, fail } from "@shipping/kit/errors";
import { answered } from "@shipping/kit/rpc/call-owner";
import type { AccessService, Account } from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";

/** An operator waits for it. */
const CALL = { timeoutMs: 5_000 };

type Deps = Pick<PortalDeps, "db"> & { access: Pick<Client<typeof AccessService>, "getAccount"> };

/**
 * Stores accounts as the gateway has described them at `readAt`, unless a later description is stored. An account that is being erased gets no row, and
 * loses its name.
 */
export async function upsertAccounts(
  { db }: Pick<PortalDeps, "db">,
  accounts: readonly Account[],
  readAt: string,
): Promise<void> {
  const unique = [...new Map(accounts.map((account) => [account.id, account])).values()];
  const named = unique.map((account) => ({ ...account, name: account.erasingSince ? "" : account.name }));
  // The rows are sorted, so that two portals cannot deadlock.
  await db.run(sql`
    WITH described AS (
      SELECT * FROM unnest(
        ${named.map(({ id }) => id)}::text[], ${named.map(({ name }) => name)}::text[],
        ${named.map(({ suspendedAt }) => suspendedAt)}::timestamptz[],
        ${named.map(({ erasingSince }) => erasingSince)}::timestamptz[]
      ) AS described (id, name, suspended_at, erasing_since)
      ORDER BY id),
    erased AS (
      UPDATE accounts SET name = '', suspended_at = described.suspended_at, erasing_since = described.erasing_since, read_at = ${readAt}::timestamptz
      FROM described WHERE accounts.id = described.id AND described.erasing_since IS NOT NULL AND accounts.erasing_since IS NULL)
    INSERT INTO accounts AS stored (id, name, suspended_at, read_at)
    SELECT id, name, suspended_at, ${readAt}::timestamptz FROM described WHERE erasing_since IS NULL ORDER BY id
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, suspended_at = excluded.suspended_at, read_at = excluded.read_at
    WHERE stored.read_at <= excluded.read_at AND stored.erasing_since IS NULL`);
}

/** Makes sure that the account has a row, before anything that refers to it is written. The gateway is asked about an account that is new here. */
export async function requireAccount({ db, access }: Deps, id: string): Promise<void> {
  const known = await db.run(sql`SELECT FROM accounts WHERE id = ${id}`);
  if (known.length > 0) return;
  const { account } = await answered(access.getAccount({ accountId: id }, CALL));
  if (!account || account.erasingSince) throw noSuchAccount(id);
  // The feed may have described it meanwhile, and it is the one that knows better.
  await db.run(sql`
    INSERT INTO accounts (id, name, suspended_at, read_at)
    VALUES (${id}, ${account.name}, ${account.suspendedAt ?? null}::timestamptz, 'epoch')
    ON CONFLICT (id) DO NOTHING`);
}

export function noSuchAccount(id: string): Failure {
  return fail("not_found", `No such account: ${id}`);
}

/** Begins to erase an account. From then on, its last admin can be removed, and the audit log gets no entries about it. */
export async function beginErasing({ db, now }: Pick<PortalDeps, "db" | "now">, id: string): Promise<void> {
  await db.run(sql`UPDATE accounts SET name = '', erasing_since = ${now()} WHERE id = ${id} AND erasing_since IS NULL`);
  // Waits for the statements that cannot see `erasing_since` yet, 5 s at most. The lock is released when the block ends.
  await db.run(sql`DO $$ BEGIN LOCK TABLE ONLY audit_entries IN SHARE MODE; END $$`);
}
