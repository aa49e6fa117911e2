import { readOwned } from "@shipping/kit/postgres/read-owned";
import sql from "sql-template-tag";
import { clock, type GatewayDeps } from "../database/deps.js";
import type { Admission } from "./admit.js";

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs">;

/** Whether an admitted key is still neither revoked nor expired, and its account not suspended. Counts nothing. */
export async function isKeyValid(deps: Deps, { caller, keyId }: Pick<Admission, "caller" | "keyId">): Promise<boolean> {
  return (await findValidKey(deps, { caller, id: keyId })) !== undefined;
}

const findValidKey = readOwned<{ id: string }, Deps>(
  "id",
  (askedCondition, deps) => sql`
    SELECT id FROM api_keys
    WHERE ${askedCondition} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${clock(deps)})
      AND EXISTS (SELECT FROM accounts WHERE accounts.id = api_keys.account_id AND suspended_at IS NULL)`,
);
