import type { AccountData } from "@shipping/kit/service/account-data";
import sql from "sql-template-tag";

/** The data that records stores about an account. */
export const recordsAccountData: AccountData = {
  tables: [
    { name: "shipments", key: ["environment", "id"] },
    { name: "orders", key: ["environment", "id"] },
    { name: "ledger", key: ["environment", "idempotency_key"], bytes: { body: "json" } },
    { name: "outbox", key: ["id"], walked: true, bytes: { body: "json" } },
  ],
  kept: {},
  inFlight: (accountId) => sql`SELECT count(*) FROM outbox WHERE published_at IS NULL AND account_id = ${accountId}`,
};
