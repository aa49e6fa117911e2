import sql from "sql-template-tag";
import { OPERATOR, tellAuditLog } from "./audit.js";
import type { AdminDeps } from "./manage-accounts.js";

/**
 * Suspends an account, so that its keys and its members' changes are refused from the next request on, or resumes it. Writes no audit entry if
 * nothing changes.
 */
export async function setSuspended(deps: AdminDeps, accountId: string, suspended: boolean): Promise<void> {
  const at = suspended ? deps.now() : null;
  const entry = tellAuditLog(deps, OPERATOR, {
    accountId,
    action: suspended ? "account.suspended" : "account.resumed",
    environment: null,
    subject: accountId,
    detail: "",
    from: sql`changed`,
  });
  await deps.db.run(sql`
    WITH changed AS (
      UPDATE accounts SET suspended_at = ${at}::timestamptz
      WHERE id = ${accountId} AND (suspended_at IS NULL) = ${suspended} RETURNING id)
    ${entry}`);
}
