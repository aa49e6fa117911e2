import type { Caller } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/database";
import sql from "sql-template-tag";
import type { RegistryRow } from "./registry.js";

export interface AdmitDeps {
  db: Database;
  requestsPerMinute: number;
  clockOffsetMs: number;
}

/** What one round trip tells of a request: whose it is, whether it is within the limit, and what its idempotency key holds. */
export interface Admission {
  keyId: string;
  caller: Caller;
  accountName: string;
  scopes: string[];
  within: boolean;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  resetSeconds: number;
  registry?: RegistryRow;
}

type Row = Omit<Admission, "caller" | "registry"> & Caller & (RegistryRow | { [Column in keyof RegistryRow]: null });

/** Admits a request of the key with that hash, and counts it if it is within the limit. Undefined: the key is unknown, expired or revoked. */
export async function admit(deps: AdmitDeps, keyHash: Buffer, idempotencyKey?: string): Promise<Admission | undefined> {
  const [row] = await deps.db.run<Row>(sql`
    SELECT key_id AS "keyId", account_id AS "accountId", account_name AS "accountName", environment, scopes,
      within, remaining, reset_seconds AS "resetSeconds",
      fingerprint, owner, state, token, attempts, lease_live AS "leaseLive"
    FROM admit(${keyHash}, ${idempotencyKey ?? null}, ${deps.requestsPerMinute}, ${deps.clockOffsetMs})`);
  if (!row) return undefined;
  const { accountId, environment, fingerprint, owner, state, token, attempts, leaseLive, ...admission } = row;
  const caller = { accountId, environment };
  if (fingerprint === null) return { ...admission, caller };
  return { ...admission, caller, registry: { fingerprint, owner, state, token, attempts, leaseLive } };
}
