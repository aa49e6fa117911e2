import { randomUUID } from "node:crypto";
import { manyLabelFiles, manyLabels } from "@shipping/carrier/testing/stored-labels";
import type { Part } from "@shipping/local/parts";
import { manyShipments } from "@shipping/records/testing/stored-records";
import type { Sql } from "sql-template-tag";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { untilDefinite } from "../chaos/retrying-client.js";
import { withServer } from "../failover/postgres/replication.js";
import { urlOf } from "./archived-postgres.js";

const address = {
  ...{ name: "Zoë Martin", street1: "8 Rue de la Paix", city: "Paris", postal_code: "75002", country: "FR" },
};
const record = {
  ...{ reference: "PO-1042", from: address, to: address },
  parcel: { weight_kg: 1.5, length_cm: 30, width_cm: 20, height_cm: 10 },
};

/**
 * Stores parcels of one account with statements: shipments, and labels with their files. What is derived from them is missing: search rows and
 * tracking records. They have no events and no stored answers.
 */
export async function seedParcels(cluster: ClusterUnderTest, parcels: number): Promise<void> {
  const { accountId, key } = await cluster.newCustomer();
  async function create(path: string, body: object): Promise<string> {
    const write = { method: "POST", path, body, key, idempotencyKey: randomUUID() } as const;
    const { status, text } = await untilDefinite(cluster.gateways, write);
    if (status !== 201) throw new Error(text);
    return JSON.parse(text).data.id;
  }
  const shipmentId = await create("/shipments", record);
  const like = await create("/labels", { shipment_id: shipmentId, rate_id: `rate_test_${shipmentId}` });
  const caller = { accountId, environment: "sandbox" } as const;
  const server = await urlOf(cluster);
  const run = (part: Part, { text, values }: Sql) =>
    withServer(new URL(`/${part}`, server).href, (client) => client.query(text, values));
  await run("records", manyShipments(caller, { count: parcels, reference: record.reference, address }));
  await run("carrier", manyLabels(caller, parcels));
  await run("carrier", manyLabelFiles(caller, like));
}
