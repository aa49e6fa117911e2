import type { AccountData } from "@shipping/kit/service/account-data";
import sql, { type Sql } from "sql-template-tag";

const ofKeys = (accountId: string) =>
  sql`key_id = ANY(ARRAY(SELECT id FROM api_keys WHERE api_keys.account_id = ${accountId}))`;

// A portal that is restored from a backup learns from this line that the account is gone. It names nobody.
const erasableChanges = (accountId: string) => sql`account_id = ${accountId} AND action <> 'account.erasing'`;

/** The data that the gateway stores about an account, apart from its row in `accounts`. */
export const gatewayAccountData: AccountData = {
  tables: [
    { name: "idempotency_registry", key: ["environment", "idempotency_key"] },
    { name: "request_log", key: ["environment", "at", "request_id"] },
    { name: "request_counts", key: ["environment", "hour", "outcome"] },
    { name: "rate_windows", key: ["key_id"], ownedBy: ofKeys },
    { name: "api_keys", key: ["id"], walked: true },
    { name: "account_changes", key: ["at", "id"], ownedBy: erasableChanges },
  ],
  kept: {
    accounts:
      "the account's ID and dates without its name: the ID is never given to another account, and all erased accounts can be listed",
    operator_acts: "who erased what, with the arguments as they were typed; deleted after AUDIT_RETENTION_DAYS",
  },
  inFlight: (accountId) => sql`
    SELECT count(*) FROM idempotency_registry WHERE lease_until IS NOT NULL AND account_id = ${accountId}`,
};

/** Counts the keys of an account by their state, and its requests of the last seven days by their outcome. */
export function countResources(accountId: string): Sql {
  return sql`
    SELECT CASE WHEN revoked_at IS NOT NULL THEN 'keys revoked' WHEN expires_at <= clock_timestamp() THEN 'keys expired' ELSE 'keys active' END AS kind,
      environment, count(*) AS count
    FROM api_keys WHERE account_id = ${accountId} GROUP BY 1, 2
    UNION ALL
    SELECT 'requests in 7 days: ' || outcome, environment, sum(count)::bigint FROM request_counts
    WHERE account_id = ${accountId} AND hour > clock_timestamp() - interval '7 days' GROUP BY 1, 2
    ORDER BY 1, 2`;
}
