import type { AccountData } from "@shipping/kit/service/account-data";
import sql, { type Sql } from "sql-template-tag";

const ofMembers = (accountId: string) =>
  sql`member_id = ANY(ARRAY(SELECT id FROM account_members WHERE account_members.account_id = ${accountId}))`;

/** The data that the portal stores about an account. The gateway, which knows the account's name, comes after it. */
export const portalAccountData: AccountData = {
  tables: [
    { name: "webhook_tests", key: ["account_id"] },
    { name: "sign_in_links", key: ["hash"], ownedBy: ofMembers },
    { name: "mails", key: ["id"], ownedBy: ofMembers },
    { name: "sessions", key: ["hash"], ownedBy: ofMembers },
    { name: "saved_views", key: ["id"], ownedBy: ofMembers },
    { name: "account_members", key: ["email"] },
    { name: "endpoint_names", key: ["subscription_id"] },
    { name: "declined_invitations", key: ["address_hash"] },
    { name: "audit_entries", key: ["at", "id"] },
    { name: "accounts", key: ["id"], ownedBy: (accountId) => sql`id = ${accountId}` },
  ],
  kept: {
    feeds: "how far the feeds of other parts were read, without data of accounts",
    sign_in_refusals: "IP addresses without an account; deleted within two hours",
    mail_counts: "SHA-256 hashes of email addresses, and IP addresses; deleted within a day and an hour",
  },
};

/** Counts the members of an account. */
export function countResources(accountId: string): Sql {
  return sql`SELECT 'members' AS kind, '' AS environment, count(*) FROM account_members WHERE account_id = ${accountId}`;
}
