import sql from "sql-template-tag";
import { clock } from "../database/deps.js";
import type { AdminDeps } from "./manage-accounts.js";

/** How many of something an account has, in an environment or in both. */
export interface Counted {
  kind: string;
  environment?: string;
  count: number;
}

/** Counts what the gateway knows of an account: members, keys, and the requests of the last seven days by how they ended. */
export async function readUsage(deps: AdminDeps, accountId: string): Promise<Counted[]> {
  const rows = await deps.db.run<{ kind: string; environment: string | null; count: bigint }>(sql`
    SELECT 'members' AS kind, NULL AS environment, count(*) AS count FROM account_members WHERE account_id = ${accountId}
    UNION ALL
    SELECT CASE WHEN revoked_at IS NOT NULL THEN 'keys revoked' WHEN expires_at <= ${clock(deps)} THEN 'keys expired' ELSE 'keys active' END,
      environment, count(*)
    FROM api_keys WHERE account_id = ${accountId} GROUP BY 1, 2
    UNION ALL
    SELECT 'requests in 7 days: ' || outcome, environment, sum(count)::bigint FROM request_counts
    WHERE account_id = ${accountId} AND hour > ${clock(deps)} - interval '7 days' GROUP BY 1, 2
    ORDER BY 1, 2`);
  return rows.map(({ kind, environment, count }) => ({
    kind,
    ...(environment !== null && { environment }),
    count: Number(count),
  }));
}
