import { hashRecent } from "@shipping/records/search/hash-recent";
import { toSearchText } from "@shipping/records/search/search-text";
import sql from "sql-template-tag";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { signIn } from "../../kit/sign-in.js";
import type { Attack } from "./attack.js";
import { hammer } from "./hammer.js";

const RECORDS = 20_000;

/**
 * Creates a viewer of an account, and shipments with labels that all begin alike, one a second as customers create them: indexes of lists are
 * sorted by time alone, so that a list of rows of one time would read all of them. They are live, because the account's keys list the sandbox.
 * Returns the viewer's cookie.
 */
export async function addViewer({ databases }: ClusterUnderTest, accountId: string): Promise<string> {
  const cookie = await signIn(databases.portal, { accountId, email: `${accountId}@example.com`, role: "viewer" });
  const address = { name: "aaa", street1: "a", city: "a", postal_code: "aaa", country: "DE" };
  // IDs are unique in the whole table of labels, so they end like the account's ID.
  const end = accountId.slice(-20);
  await databases.records.run(sql`
    INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, label_id, created_at)
    SELECT ${accountId}, 'live', 'shp_' || to_char(n, 'FM000000') || ${end}, 'label_created', 'aaa', ${address}::jsonb, ${address}::jsonb,
      '{}', 'lbl_' || to_char(n, 'FM000000') || ${end}, now() - n * interval '1 second' FROM generate_series(1, ${RECORDS}::integer) AS n`);
  const text = toSearchText({ reference: "aaa", from: address, to: address });
  await databases.records.run(sql`
    INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
    SELECT account_id, environment, id, created_at, ${text} FROM shipments WHERE account_id = ${accountId}`);
  while (await hashRecent({ db: databases.records }, { accountId, environment: "sandbox", table: "shipments" }));
  await databases.carrier.run(sql`
    INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
    SELECT ${accountId}, 'live', 'lbl_' || to_char(n, 'FM000000') || ${end}, 'shp_' || to_char(n, 'FM000000') || ${end}, 'created', 'test',
      'TEST' || n || ${end}, now() - n * interval '1 second' FROM generate_series(1, ${RECORDS}::integer) AS n`);
  return cookie;
}

/** A viewer who searches labels by a prefix that all shipments have, on twenty connections. */
function labelSearches(attack: Attack): Promise<void> {
  return look(attack, 20, "/developers/live/labels?q=aaa");
}

/** A viewer who has pictures of labels drawn, on twenty connections. */
function labelPictures(attack: Attack): Promise<void> {
  return look(attack, 20, `/developers/sandbox/labels/${attack.known.label}/picture`);
}

/** A viewer who saves all shipments as CSV, on four connections. */
function downloads(attack: Attack): Promise<void> {
  return look(attack, 4, "/developers/live/shipments/csv");
}

function look(attack: Attack, connections: number, path: string): Promise<void> {
  const { portal: origin, viewer: cookie } = attack.known;
  return hammer(attack, { origin, connections, next: () => ({ path, headers: { cookie } }) });
}

export const memberAttacks = { "label-searches": labelSearches, "label-pictures": labelPictures, downloads };
