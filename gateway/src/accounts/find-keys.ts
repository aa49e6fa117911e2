import type { Caller } from "@shipping/kit/caller";
import { ownedSql } from "@shipping/kit/postgres/owned";
import sql from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";

/** A key that was found. */
export interface FoundKey {
  id: string;
  name: string | null;
  lastFour: string;
  revokedAt: Date | null;
}

const MAX_KEYS = 20;
/** Keys of an environment that are looked through for one; those that are revoked stay. */
const MAX_SCANNED = 2_000;

/** The keys of a caller with this id, these last four characters, or a name that begins so, whatever its case: at most twenty, the newest first. */
export async function findKeys({ db }: Pick<GatewayDeps, "db">, caller: Caller, text: string): Promise<FoundKey[]> {
  return db.runList<FoundKey>(sql`
    SELECT id, name, last_four AS "lastFour", revoked_at AS "revokedAt" FROM (
      SELECT * FROM api_keys WHERE ${ownedSql(caller)} LIMIT ${MAX_SCANNED}
    ) AS key
    WHERE id = ${text} OR last_four = ${text} OR starts_with(lower(name), lower(${text}))
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_KEYS}`);
}
