import sql from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";

/** Who owns an idempotency key, as the registry knows it. */
export interface RegisteredClaim {
  owner: string;
  state: string;
  token: bigint;
  attempts: number;
  leaseUntil: Date | null;
}

/** Reads the claim of an idempotency key; undefined if no request of that caller has used it. */
export async function readClaim(
  deps: AdminDeps,
  { accountId, environment, key }: { accountId: string; environment: string; key: string },
): Promise<RegisteredClaim | undefined> {
  const [claim] = await deps.db.run<RegisteredClaim>(sql`
    SELECT owner, state, token, attempts, lease_until AS "leaseUntil" FROM idempotency_registry
    WHERE account_id = ${accountId} AND environment = ${environment} AND idempotency_key = ${key}`);
  return claim;
}
