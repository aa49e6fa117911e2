import type { Caller } from "@shipping/kit/caller";
import { coalesce } from "@shipping/kit/coalesce";
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

/** A request as it presents itself. */
export interface Presented {
  keyHash: Buffer;
  idempotencyKey?: string | undefined;
}

type Row = Omit<Admission, "caller" | "registry"> &
  Caller & { place: number } & (RegistryRow | { [Column in keyof RegistryRow]: null });

/** Admits requests of one process: those that come while others are being admitted share a round trip. */
export function createAdmit(deps: AdmitDeps): (presented: Presented) => Promise<Admission | undefined> {
  return coalesce({ run: (all) => admitMany(deps, all), keyOf: ({ keyHash }) => keyHash.toString("base64") });
}

/** Admits one request, and counts it if it is within the limit. Undefined: its key is unknown, expired or revoked. */
export async function admit(deps: AdmitDeps, keyHash: Buffer, idempotencyKey?: string): Promise<Admission | undefined> {
  const [admission] = await admitMany(deps, [{ keyHash, idempotencyKey }]);
  return admission;
}

async function admitMany(deps: AdmitDeps, presented: readonly Presented[]): Promise<(Admission | undefined)[]> {
  const rows = await deps.db.run<Row>(sql`
    SELECT place, key_id AS "keyId", account_id AS "accountId", account_name AS "accountName", environment, scopes,
      within, remaining, reset_seconds AS "resetSeconds",
      fingerprint, owner, state, token, attempts, lease_live AS "leaseLive"
    FROM admit_many(
      ${presented.map(({ keyHash }) => keyHash)}::bytea[],
      ${presented.map(({ idempotencyKey }) => idempotencyKey ?? null)}::text[],
      ${deps.requestsPerMinute}, ${deps.clockOffsetMs})`);
  const admitted = new Map(rows.map((row) => [row.place, admissionOf(row)]));
  return presented.map((_, index) => admitted.get(index + 1));
}

function admissionOf(row: Row): Admission {
  const { place: _, accountId, environment, fingerprint, owner, state, token, attempts, leaseLive, ...admission } = row;
  const caller = { accountId, environment };
  if (fingerprint === null) return { ...admission, caller };
  return { ...admission, caller, registry: { fingerprint, owner, state, token, attempts, leaseLive } };
}
