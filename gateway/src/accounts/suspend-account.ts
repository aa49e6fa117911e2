import sql from "sql-template-tag";
import { OPERATOR, tellAuditLog } from "./audit.js";
import type { AdminDeps } from "./manage-accounts.js";

/** Refuses an account's keys and its members' changes from their next request on, or takes them again. Nothing is told where nothing changes. */
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
