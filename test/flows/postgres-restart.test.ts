import { silentLog } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import { storedOrders } from "@shipping/records/testing/stored-records";
import { RECORD } from "../api/platform.js";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";
import { untilDefinite, type Write } from "../trials/chaos/retrying-client.js";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster.stop());

/** Sends a write to the next gateway, and repeats it only after a 503, with which a busy machine may refuse some of many at once. */
async function send(write: Write, turn: number): Promise<{ status: number; replayed: boolean; text: string }> {
  const gateway = cluster.gateways[turn % cluster.gateways.length];
  const answer = await fetch(`${gateway}${write.path}`, {
    method: write.method,
    headers: {
      authorization: `Bearer ${write.key}`,
      "idempotency-key": write.idempotencyKey,
      "content-type": "application/json",
    },
    body: JSON.stringify(write.body),
  });
  if (answer.status === 503) return send(write, turn);
  return { status: answer.status, replayed: answer.headers.has("idempotency-replayed"), text: await answer.text() };
}

test("PostgreSQL restarted under load: no 201 without a row, no process ends, no request hangs", async () => {
  const { key } = await cluster.newCustomer();
  const before = (await cluster.now()).processes.filter(({ name }) => name !== "postgres");
  const acknowledged: string[] = [];
  let longestMs = 0;
  let number = 0;
  const client = async () => {
    const start = performance.now();
    const write: Write = { method: "POST", path: "/orders", key, idempotencyKey: `pg-${number++}`, body: RECORD };
    const answer = await send(write, number).catch(() => undefined);
    longestMs = Math.max(longestMs, performance.now() - start);
    if (answer?.status === 201) acknowledged.push(JSON.parse(answer.text).data.id);
    else expect(answer?.status).toBe(503);
  };
  const loops = Array.from({ length: 4 }, () =>
    startLoop({ name: "load", everyMs: 5, log: silentLog(), once: client }),
  );
  await cluster.kill("postgres");
  await cluster.healthy();
  const recovered = acknowledged.length;
  await untilDefinite(cluster.gateways, {
    method: "POST",
    path: "/orders",
    key,
    idempotencyKey: "after",
    body: RECORD,
  });
  await Promise.all(loops.map((loop) => loop.stop()));
  expect(acknowledged.length).toBeGreaterThanOrEqual(recovered);
  expect(longestMs).toBeLessThan(20_000);
  const stored = new Set(await storedOrders(cluster.databases.records));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  const pids = (processes: typeof before) => processes.map(({ name, pid }) => `${name} ${pid}`).sort();
  expect(pids((await cluster.now()).processes.filter(({ name }) => name !== "postgres"))).toEqual(pids(before));
});
