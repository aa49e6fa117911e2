import type { AccountData } from "@shipping/kit/service/account-data";

/** The data that tracking stores about an account. */
export const trackingAccountData: AccountData = {
  tables: [
    { name: "scans", key: ["environment", "tracking_number", "id"] },
    { name: "tracking_records", key: ["environment", "tracking_number"] },
  ],
  kept: {},
};
