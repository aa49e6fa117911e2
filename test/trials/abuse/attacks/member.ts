import { manyLabels } from "@shipping/carrier/testing/stored-labels";
import { findableShipments, manyShipments } from "@shipping/records/testing/stored-records";
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
  const caller = { accountId, environment: "live" } as const;
  const many = { count: RECORDS, reference: "aaa", address, end, everyMs: 1_000 };
  await databases.records.run(manyShipments(caller, many));
  await findableShipments(databases.records, caller);
  await databases.carrier.run(manyLabels(caller, RECORDS, { end, everyMs: 1_000 }));
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
