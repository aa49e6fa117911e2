import type { AccountData } from "@shipping/kit/service/account-data";

/** The data that tracking stores about an account. */
export const trackingAccountData: AccountData = {
  tables: [{ name: "tracking_records", key: ["environment", "tracking_number"] }],
  kept: { scans: "Nothing writes to this table." },
};
