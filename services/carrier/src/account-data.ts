import { fileURLToPath } from "node:url";
import type { AccountData } from "@shipping/kit/service/account-data";
import sql, { type Sql } from "sql-template-tag";

/** The folder with the schema and migrations of carrier. */
export const carrierMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

export const carrierAccountData: AccountData = {
  tables: [
    { name: "bookings", key: ["environment", "id"] },
    { name: "label_files", key: ["environment", "label_id"], bytes: { pdf: "pdf" } },
    { name: "labels", key: ["environment", "id"] },
    { name: "ledger", key: ["environment", "idempotency_key"], bytes: { body: "json" } },
    { name: "outbox", key: ["id"], walked: true, bytes: { body: "json" } },
  ],
  kept: {},
  inFlight: (accountId) => sql`
    SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL AND account_id = ${accountId})
      + (SELECT count(*) FROM outbox WHERE projected_at IS NULL AND account_id = ${accountId})
      + (SELECT count(*) FROM bookings WHERE due_at IS NOT NULL AND account_id = ${accountId}) AS count`,
};

export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'labels ' || status AS kind, environment, count(*) FROM labels WHERE account_id = ${accountId} GROUP BY status, environment`;
}
