import { fileURLToPath } from "node:url";
import type { AccountData } from "@shipping/kit/service/account-data";
import sql, { type Sql } from "sql-template-tag";

/** The folder with the schema and migrations of records. */
export const recordsMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

export const recordsAccountData: AccountData = {
  tables: [
    { name: "shipment_search_recent", key: ["environment", "id"], derived: true },
    { name: "order_search_recent", key: ["environment", "id"], derived: true },
    { name: "shipment_search", key: ["environment", "id"], derived: true },
    { name: "order_search", key: ["environment", "id"], derived: true },
    { name: "shipments", key: ["environment", "id"] },
    { name: "orders", key: ["environment", "id"] },
    { name: "ledger", key: ["environment", "idempotency_key"], bytes: { body: "json" } },
    { name: "outbox", key: ["id"], walked: true, bytes: { body: "json" } },
    { name: "search_segments", key: ["environment", "record_table", "segment"], derived: true },
  ],
  kept: {},
  inFlight: (accountId) => sql`SELECT count(*) FROM outbox WHERE published_at IS NULL AND account_id = ${accountId}`,
};

export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'orders' AS kind, environment, count(*) FROM orders WHERE account_id = ${accountId} GROUP BY environment
    UNION ALL
    SELECT 'shipments', environment, count(*) FROM shipments WHERE account_id = ${accountId} GROUP BY environment`;
}
