import type { Environment } from "@shipping/kit/caller";
import sql from "sql-template-tag";
import type { ListedKey } from "../../accounts/manage-keys.js";
import { clock } from "../../database/deps.js";
import type { PageDeps } from "../page/page.js";
import { PAGE_SIZE, pageOf } from "../page/paging.js";

/** A key in the area's list. */
export interface ListedKeyOfPage extends ListedKey {
  /** True if the key is valid now. */
  active: boolean;
}

/** Which page of a list of keys: that after a key which is there, or the first one. */
export interface WantedKeys {
  accountId: string;
  environment: Environment;
  after: string | undefined;
}

/** A page of an environment's keys: the active ones first, and of each kind the newest first. */
export async function listKeysOfPage(
  deps: Pick<PageDeps, "db" | "clockOffsetMs">,
  { accountId, environment, after = "" }: WantedKeys,
): Promise<ReturnType<typeof pageOf<ListedKeyOfPage>>> {
  const read = await deps.db.run<ListedKeyOfPage>(sql`
    WITH listed AS (
      SELECT id, environment, name, last_four AS "lastFour", scopes, created_at AS "createdAt", expires_at AS "expiresAt",
        revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
        revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${clock(deps)}) AS active
      FROM api_keys WHERE account_id = ${accountId} AND environment = ${environment})
    SELECT * FROM listed
    WHERE ${after} = '' OR (active, "createdAt", id) < (SELECT active, "createdAt", id FROM listed WHERE id = ${after})
    ORDER BY active DESC, "createdAt" DESC, id DESC LIMIT ${PAGE_SIZE + 1}`);
  return pageOf(read);
}
