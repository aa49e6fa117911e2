import type { AccountData } from "@shipping/kit/service/account-data";

/** What tracking stores of an account. */
export const trackingAccountData: AccountData = {
  tables: [{ name: "tracking_records", key: ["environment", "tracking_number"] }],
  kept: {},
};
