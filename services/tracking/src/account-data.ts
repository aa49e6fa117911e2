import { fileURLToPath } from "node:url";
import type { AccountData } from "@shipping/kit/service/account-data";
import sql, { type Sql } from "sql-template-tag";

/** The folder with the schema and migrations of tracking. */
export const trackingMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

export const trackingAccountData: AccountData = {
  tables: [{ name: "tracking_records", key: ["environment", "tracking_number"] }],
  kept: {},
};

export function countResources(accountId: string): Sql {
  return sql`
    SELECT 'tracking records' AS kind, environment, count(*) FROM tracking_records WHERE account_id = ${accountId} GROUP BY environment`;
}
