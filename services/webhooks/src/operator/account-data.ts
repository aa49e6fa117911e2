import { fileURLToPath } from "node:url";
import type { AccountData } from "@shipping/kit/service/account-data";
import sql, { type Sql } from "sql-template-tag";

/** The folder with the schema and migrations of webhooks. */
export const webhooksMigrations = fileURLToPath(new URL("../../prisma", import.meta.url));

/** The data that webhooks stores about an account. */
export const webhooksAccountData: AccountData = {
  tables: [
    { name: "subscription_changes", key: ["id"] },
    { name: "subscription_health", key: ["subscription_id"] },
    { name: "subscription_hours", key: ["hour", "subscription_id"] },
    { name: "deliveries", key: ["event_id", "subscription_id"] },
    { name: "ready_queue", key: ["subscription_id"] },
    { name: "events", key: ["received_at", "id"], walked: true, bytes: { body: "json" } },
    // The messages could not be decoded, but the ID of an account is random and occurs in its messages verbatim.
    {
      name: "dead_events",
      key: ["id"],
      ownedBy: (accountId) => sql`position(convert_to(${accountId}, 'UTF8') IN message) > 0`,
    },
    { name: "ledger", key: ["environment", "idempotency_key"] },
    { name: "active_subscriptions", key: ["environment"] },
    { name: "subscriptions", key: ["environment", "id"] },
  ],
  kept: {
    stream_owner: "the owner of the event stream, without data of accounts",
    held_accounts:
      "only the account's ID: events of it that are still in the stream or in a restored backup are dropped, not stored and not sent",
  },
  inFlight: (accountId) => sql`
    SELECT coalesce(sum(in_flight), 0) AS count FROM ready_queue WHERE account_id = ${accountId}`,
  // From now on, late events of the account are dropped.
  beforeErasure: (accountId) => sql`
    INSERT INTO held_accounts (account_id, since, erased_at) VALUES (${accountId}, clock_timestamp(), clock_timestamp())
    ON CONFLICT (account_id) DO UPDATE SET erased_at = clock_timestamp() WHERE held_accounts.erased_at IS NULL`,
};

/** Counts the subscriptions of an account by their status. */
export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'subscriptions ' || status AS kind, environment, count(*) FROM subscriptions
    WHERE account_id = ${accountId} GROUP BY status, environment`;
}
