import { newSessionToken } from "@shipping/gateway/developers/session/session";
import { pooledRandom } from "@shipping/kit/ids";
import { hashRecent } from "@shipping/records/search/hash-recent";
import { toSearchText } from "@shipping/records/search/search-text";
import sql from "sql-template-tag";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import type { Attack } from "./attack.js";
import { hammer } from "./hammer.js";

const RECORDS = 20_000;

/**
 * Creates a viewer of an account, and shipments with labels that all begin alike, one a second as customers create them: indexes of lists are
 * sorted by time alone, so that a list of rows of one time would read all of them. They are live, because the account's keys list the sandbox.
 * Returns the viewer's cookie.
 */
export async function addViewer({ databases }: ClusterUnderTest, accountId: string): Promise<string> {
  const { token, hash } = newSessionToken({ random: pooledRandom });
  const member = `mem_${accountId}`;
  await databases.gateway.run(sql`
    INSERT INTO account_members (id, account_id, email, role, created_at)
    VALUES (${member}, ${accountId}, ${`${accountId}@example.com`}, 'viewer', now())`);
  await databases.gateway.run(sql`
    INSERT INTO sessions (hash, member_id, created_at, authenticated_at, seen_at) VALUES (${hash}, ${member}, now(), now(), now())`);
  const address = JSON.stringify({ name: "aaa", street1: "a", city: "a", postal_code: "aaa", country: "DE" });
  // IDs are unique in the whole table of labels, so they end like the account's ID.
  const end = accountId.slice(-20);
  await databases.records.run(sql`
    INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, label_id, created_at)
    SELECT ${accountId}, 'live', 'shp_' || to_char(n, 'FM000000') || ${end}, 'label_created', 'aaa', ${address}::json, ${address}::json,
      '{}', 'lbl_' || to_char(n, 'FM000000') || ${end}, now() - n * interval '1 second' FROM generate_series(1, ${RECORDS}::integer) AS n`);
  const text = toSearchText({ reference: "aaa", sender: address, recipient: address, metadata: null });
  await databases.records.run(sql`
    INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
    SELECT account_id, environment, id, created_at, ${text} FROM shipments WHERE account_id = ${accountId}`);
  while (await hashRecent({ db: databases.records }, { accountId, environment: "sandbox", table: "shipments" }));
  await databases.carrier.run(sql`
    INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
    SELECT ${accountId}, 'live', 'lbl_' || to_char(n, 'FM000000') || ${end}, 'shp_' || to_char(n, 'FM000000') || ${end}, 'created', 'test',
      'TEST' || n || ${end}, now() - n * interval '1 second' FROM generate_series(1, ${RECORDS}::integer) AS n`);
  return `developers-session=${token}`;
}

/** A viewer who searches labels by a prefix that all shipments have, on twenty connections. */
function labelSearches(attack: Attack): Promise<void> {
  const headers = { cookie: attack.known.viewer };
  return hammer(attack, { connections: 20, next: () => ({ path: "/developers/live/labels?q=aaa", headers }) });
}

export const memberAttacks = { "label-searches": labelSearches };
