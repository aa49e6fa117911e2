import sql from "sql-template-tag";
import { parcelBody } from "../../kit/bodies.js";
import { openEventReceiver } from "../../kit/event-receiver.js";
import { cases } from "../cases.js";
import { type Seeds, seed } from "../seed.js";
import { type Floor, startFloor } from "./start-floor.js";

let floor: Floor;
let seeds: Seeds;

beforeAll(async () => {
  floor = await startFloor({ accounts: 2 });
  seeds = await seed(floor.target, { shipments: 30, labels: 1 });
});

afterAll(async () => {
  await floor?.stop();
});

test.each(cases.map((one) => [one.name, one] as const))(
  "the floor answers %s as the case expects it",
  async (_, one) => {
    await one.prepare?.(floor.target, seeds, 1);
    const operation = one.operation(floor.target, seeds);
    await operation();
    await operation();
  },
);

test("a shipment is read, listed and replayed as it was created", async () => {
  const [{ customer, id, idempotencyKey }] = seeds.shipments as [Seeds["shipments"][number]];
  const { target } = floor;
  const get = async (path: string) => JSON.parse((await target.call({ customer, path, expect: 200 })).toString());
  const { data } = await get(`/shipments/${id}`);
  expect(data).toMatchObject({ id, object: "shipment", ...parcelBody });
  const page = await get("/shipments?limit=25");
  expect(page.data).toHaveLength(25);
  expect(page.next_cursor).toBe(page.data[24].id);
  const again = { customer, method: "POST", path: "/replays", body: parcelBody, idempotencyKey, expect: 201 } as const;
  const replayed = JSON.parse((await target.call(again)).toString()).data;
  expect({ ...replayed, status: data.status, label_id: data.label_id }).toEqual(data);
});

test("a creation leaves what the platform's owners leave: resource, kept answer, event", async () => {
  const before = await rowsOf(floor);
  await cases.find(({ name }) => name === "label-chain")?.operation(floor.target, seeds)();
  const after = await rowsOf(floor);
  const added = Object.entries(after).map(([table, n]) => [table, n - (before[table] ?? 0)]);
  // The responses for shipment, rates and label; the events of shipment and label.
  expect(Object.fromEntries(added)).toEqual({
    shipments: 1,
    labels: 1,
    label_files: 1,
    tracking_records: 1,
    ledger: 3,
    outbox: 2,
  });
});

test("deliveries are signed, sent, and recorded", async () => {
  const receiver = await openEventReceiver();
  const customer = floor.target.customers.next();
  const body = { url: receiver.url, count: 150, data: JSON.stringify({ id: "shp_1" }) };
  await floor.target.call({ customer, method: "POST", path: "/deliveries", body, expect: 200 });
  await receiver.close();
  expect(receiver.arrivals.map(({ resourceId }) => resourceId())).toEqual(Array(150).fill("shp_1"));
  const [recorded] = await floor.db.run(sql`SELECT count(*)::integer AS n FROM deliveries WHERE state = 'delivered'`);
  expect(recorded).toEqual({ n: 150 });
});

async function rowsOf({ db }: Floor): Promise<Record<string, number>> {
  const tables = ["shipments", "labels", "label_files", "tracking_records", "ledger", "outbox"];
  const counted = tables.map(async (table) => {
    const { rows } = await db.pool.query(`SELECT count(*)::integer AS n FROM ${table}`);
    return [table, rows[0].n] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}
