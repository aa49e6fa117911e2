import { adminIn } from "@shipping/cli/testing/admin";
import { eventually } from "@shipping/kit/testing/eventually";
import { highestToken } from "@shipping/kit/testing/stored-writes";
import { parts } from "@shipping/local/parts";
import { LEDGER_OWNERS } from "@shipping/proto/parts";
import { forgetStreamTokens } from "@shipping/webhooks/testing/stored-events";
import sql from "sql-template-tag";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";
import { audit, FLAWLESS } from "../trials/chaos/audit.js";
import { mixedLoad } from "../trials/chaos/mixed-load.js";
import { untilDefinite } from "../trials/chaos/retrying-client.js";
import { openCopies } from "../trials/restore/copied-databases.js";

const OPERATIONS = 40;

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster.stop());

/** Replaces the tokens: those of a copy that is some seconds old may still be in the stream, those of a backup usually are not. */
async function restoredTokens(): Promise<void> {
  await eventually(async () => expect(await forgetStreamTokens(cluster.databases.webhooks)).toBe(true));
  const refusal = async () => {
    const doctor = await admin("doctor");
    expect(doctor.out).toMatch(/event stream: Stream EVENTS on NATS belongs to a later state of this database/);
  };
  await eventually(refusal);
}

/** Step 4 of the guide. */
async function claimStream(): Promise<void> {
  expect(await admin("bus claim")).toEqual({
    status: 0,
    err: "",
    out: "Stream EVENTS belongs to this installation. Every other one that uses it stops within seconds.\n",
  });
}

const { admin } = adminIn(() => ({ DATA_DIR: cluster.dataDir }));

async function load() {
  const customers = [await cluster.newCustomer(), await cluster.newCustomer()];
  const run = () => mixedLoad({ gateways: cluster.gateways, customers, operations: OPERATIONS, clients: 4 });
  return { accountIds: customers.map(({ accountId }) => accountId), run };
}

/** Step 2 of the guide: the gateway's tokens go on above every ledger's. */
async function raiseTokens(): Promise<void> {
  for (const owner of LEDGER_OWNERS) {
    const highest = await highestToken(cluster.databases[owner]);
    await cluster.databases.gateway.run(sql`
      SELECT setval('idempotency_token', greatest(${highest}::bigint, (SELECT last_value FROM idempotency_token)) + 1000)`);
  }
}

test("after every database is lost and restored, the gateway's from an older copy, all of that time is there and replays", async () => {
  const server = await openCopies(cluster);
  const [first, second, lost] = [await load(), await load(), await load()];
  const before = await first.run();
  await server.copy("gateway");
  const after = await second.run();
  for (const part of parts) if (part !== "gateway") await server.copy(part);
  await cluster.healthy();
  const gone = await lost.run();

  for (const part of parts) await server.loseAndRestore(part);
  await server.close();
  await eventually(raiseTokens);
  await restoredTokens();
  await eventually(claimStream);
  await cluster.healthy();

  const kept = [...before.acknowledged, ...after.acknowledged];
  expect(await audit(cluster, [...first.accountIds, ...second.accountIds], kept)).toEqual(FLAWLESS);
  // Writes after the copies are lost, and are executed again when a request is repeated.
  const [order] = gone.acknowledged;
  const again = await untilDefinite(cluster.gateways, order!.write);
  expect(again).toMatchObject({ status: 201, replayed: false });
  expect(JSON.parse(again.text).data.id).not.toBe(order!.id);
});
