import { silentLog } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import { runs } from "@shipping/kit/testing/runs";
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

const count = <T>(list: readonly T[], holds: (one: T) => boolean) => list.filter(holds).length;

test(
  "100 equal requests at once over three gateways: one creation and 99 equal replays each, no 409",
  async () => {
    const { key } = await cluster.newCustomer();
    for (let round = 0; round < runs(5); round++) {
      const write: Write = { method: "POST", path: "/orders", key, idempotencyKey: `equal-${round}`, body: RECORD };
      const answers = await Promise.all(Array.from({ length: 100 }, (_, turn) => send(write, turn)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(count(answers, ({ replayed }) => replayed)).toBe(99);
    }
  },
  runs(360_000),
);

test(
  "among 40 creations at the same instant one names a missing order: 39 × 201, one 404, and no key is lost",
  async () => {
    const { key } = await cluster.newCustomer();
    for (let round = 0; round < runs(4); round++) {
      const writes = Array.from({ length: 40 }, (_, turn): Write => {
        const body = turn === 17 ? { ...RECORD, order_id: "ord_aaaaaaaaaaaaaaaaaaaaaaaaaa" } : RECORD;
        return { method: "POST", path: "/shipments", key, idempotencyKey: `mixed-${round}-${turn}`, body };
      });
      const answers = await Promise.all(writes.map((write) => send(write, 0)));
      expect(answers.flatMap(({ status }, turn) => (status === 201 ? [] : [{ status, turn }]))).toEqual([
        { status: 404, turn: 17 },
      ]);
      expect(await send({ ...writes[17]!, body: RECORD }, 1)).toMatchObject({ status: 201, replayed: false });
    }
  },
  runs(360_000),
);

test(
  "equal and overlapping keys at the same instant through two gateways in opposite order: no deadlock, no 5xx",
  async () => {
    const customers = await Promise.all(Array.from({ length: 4 }, () => cluster.newCustomer()));
    for (let round = 0; round < runs(6); round++) {
      const write = (turn: number, reference: string): Write => ({
        method: "POST",
        path: "/shipments",
        key: customers[turn % customers.length]!.key,
        idempotencyKey: `overlap-${round}-${turn}`,
        body: { ...RECORD, reference },
      });
      // Keys 0 to 29 from one side and 39 down to 10 from the other. For every third key, the two bodies differ.
      const ahead = Array.from({ length: 30 }, (_, turn) => write(turn, "ahead"));
      const back = Array.from({ length: 30 }, (_, at) => write(39 - at, (39 - at) % 3 === 0 ? "back" : "ahead"));
      const answers = await Promise.all([
        ...ahead.map(async (one) => ({ ...(await send(one, 0)), of: one.idempotencyKey })),
        ...back.map(async (one) => ({ ...(await send(one, 1)), of: one.idempotencyKey })),
      ]);
      expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
      const executed = answers.filter(({ status, replayed }) => status === 201 && !replayed).map(({ of }) => of);
      expect(new Set(executed).size).toBe(executed.length);
      expect(executed).toHaveLength(40);
    }
  },
  runs(360_000),
);

test(
  "ten keys racing for one label: exactly one 201 each, nine label_exists",
  async () => {
    const { key } = await cluster.newCustomer();
    for (let round = 0; round < runs(8); round++) {
      const shipment = await untilDefinite(cluster.gateways, {
        method: "POST",
        path: "/shipments",
        key,
        idempotencyKey: `shipment-${round}`,
        body: RECORD,
      });
      const shipmentId = JSON.parse(shipment.text).data.id;
      const body = { shipment_id: shipmentId, rate_id: `rate_test_${shipmentId}` };
      const racing = Array.from({ length: 10 }, (_, turn) =>
        send({ method: "POST", path: "/labels", key, idempotencyKey: `label-${round}-${turn}`, body }, turn),
      );
      const answers = await Promise.all(racing);
      expect(count(answers, ({ status }) => status === 201)).toBe(1);
      expect(count(answers, ({ status, text }) => status === 409 && text.includes("label_exists"))).toBe(9);
    }
  },
  runs(360_000),
);

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
