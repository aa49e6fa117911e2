import { storedLabels } from "@shipping/carrier/testing/stored-labels";
import { eventually } from "@shipping/kit/testing/eventually";
import { storedOrders, storedShipments } from "@shipping/records/testing/stored-records";
import { storedTracking } from "@shipping/tracking/testing/stored-tracking";
import { storedEvents } from "@shipping/webhooks/testing/stored-events";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import type { Acknowledged } from "./mixed-load.js";
import { untilDefinite } from "./retrying-client.js";

/** The faults that an audit finds, as counts, if every promise was kept. */
export const FLAWLESS = {
  lost: 0,
  doubled: 0,
  differingReplays: 0,
  disagreeingStatuses: 0,
  missingEvents: 0,
  surplusEvents: 0,
};

export type Audit = typeof FLAWLESS;

/** Compares the acknowledged writes with the databases and the API, until all of it agrees or `settledWithinMs` have passed. */
export async function audit(
  cluster: ClusterUnderTest,
  accountIds: readonly string[],
  acknowledged: readonly Acknowledged[],
  { settledWithinMs = 90_000 } = {},
): Promise<Audit> {
  const rows = await storedIds(cluster, accountIds);
  const promised = (path: RegExp) => acknowledged.filter(({ write }) => path.test(write.path)).map(({ id }) => id);
  const kinds = [
    [promised(/^\/orders$/), rows.orders],
    [promised(/^\/shipments$/), rows.shipments],
    [promised(/^\/labels$/), rows.labels],
  ] as const;
  const lost = kinds.flatMap(([ids, stored]) => without(ids, stored));
  const doubled = kinds.flatMap(([ids, stored]) => without(stored, ids));
  const differing = await differingReplays(cluster, acknowledged);
  // Projections and events take a few seconds at most.
  const settled = await eventually(
    async () => {
      const disagreeing = await disagreeingStatuses(cluster, accountIds);
      const events = await eventCounts(cluster, accountIds, acknowledged);
      if (disagreeing + events.missing > 0) throw new Unsettled({ disagreeing, ...events });
      return { disagreeing, ...events };
    },
    { withinMs: settledWithinMs },
  ).catch((error) => (error as Unsettled).found);
  return {
    lost: lost.length,
    doubled: doubled.length,
    differingReplays: differing,
    disagreeingStatuses: settled.disagreeing,
    missingEvents: settled.missing,
    surplusEvents: settled.surplus,
  };
}

class Unsettled extends Error {
  constructor(readonly found: { disagreeing: number; missing: number; surplus: number }) {
    super(JSON.stringify(found));
  }
}

async function storedIds({ databases }: ClusterUnderTest, accountIds: readonly string[]) {
  const ids = (rows: { id: string }[]) => new Set(rows.map(({ id }) => id));
  return {
    orders: new Set(await storedOrders(databases.records, accountIds)),
    shipments: ids(await storedShipments(databases.records, accountIds)),
    labels: ids(await storedLabels(databases.carrier, accountIds)),
  };
}

async function differingReplays(cluster: ClusterUnderTest, acknowledged: readonly Acknowledged[]): Promise<number> {
  let differing = 0;
  for (let at = 0; at < acknowledged.length; at += 32) {
    const some = acknowledged.slice(at, at + 32);
    const again = await Promise.all(some.map(({ write }) => untilDefinite(cluster.gateways, write)));
    differing += again.filter((answer, index) => {
      const first = some[index];
      return !answer.replayed || answer.text !== first?.text || answer.status !== first.status;
    }).length;
  }
  return differing;
}

async function disagreeingStatuses({ databases }: ClusterUnderTest, accountIds: readonly string[]): Promise<number> {
  const labels = await storedLabels(databases.carrier, accountIds);
  const shipments = await storedShipments(databases.records, accountIds);
  const records = await storedTracking(databases.tracking, accountIds);
  const ofShipment = new Map(shipments.map(({ id, status }) => [id, status]));
  const ofTracking = new Map(records.map(({ trackingNumber, status }) => [trackingNumber, status]));
  return labels.filter(({ shipmentId, trackingNumber, status }) => {
    const [shipmentStatus, trackingStatus] =
      status === "voided" ? ["voided", "voided"] : ["label_created", "pre_transit"];
    return ofShipment.get(shipmentId) !== shipmentStatus || ofTracking.get(trackingNumber) !== trackingStatus;
  }).length;
}

const EVENT_OF: readonly (readonly [path: RegExp, type: string])[] = [
  [/^\/orders$/, "order.created"],
  [/^\/shipments$/, "shipment.created"],
  [/^\/labels$/, "label.created"],
  [/\/void$/, "label.voided"],
];

export const AUDITED_TYPES = EVENT_OF.map(([, type]) => type);

/** Every creation and void has one event of its own type in the inbox of webhooks. Further types are not counted. */
async function eventCounts(
  { databases }: ClusterUnderTest,
  accountIds: readonly string[],
  acknowledged: readonly Acknowledged[],
): Promise<{ missing: number; surplus: number }> {
  const rows = await storedEvents(databases.webhooks, { accountId: accountIds, type: AUDITED_TYPES });
  const arrived = rows.map(({ type, body }) => `${type} ${JSON.parse(body.toString()).data.id}`);
  const expected = acknowledged.flatMap(({ write, id }) =>
    EVENT_OF.filter(([path]) => path.test(write.path)).map(([, type]) => `${type} ${id}`),
  );
  const had = new Set(arrived);
  return {
    missing: without(expected, arrived).length,
    surplus: arrived.length - had.size + without(had, expected).length,
  };
}

/** Items that are not in `known`. */
function without(all: Iterable<string>, known: Iterable<string>): string[] {
  const others = new Set(known);
  return [...all].filter((one) => !others.has(one));
}
