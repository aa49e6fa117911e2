import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { newId, pooledRandom } from "@shipping/kit/ids";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { eventually } from "@shipping/kit/testing/eventually";
import { costlyNodes, pagesRead, watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import { ListTestDeliveriesRequestSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { acceptEvents } from "../dispatch/accept-event.js";
import type { DispatchDeps } from "../dispatch/deps.js";
import type { Receiver } from "../testing/receiver.js";
import { subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { listTestDeliveries } from "./list-test-deliveries.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: DispatchDeps;
let receiver: Receiver;
const answers: ((status: number) => void)[] = [];
beforeAll(async () => {
  deps = webhooks.replica();
  receiver = await webhooks.receiver((response) => answers.push((status) => response.writeHead(status).end()));
});

const TYPES = ["shipment.created", "label.created"];

/** Creates a subscription of a sandbox, and a shipment whose events can arrive. */
async function testOf(caller: Caller = newCaller(), url = receiver.url) {
  const eventIds: string[] = [];
  const { id: subscriptionId } = await subscribe(deps, caller, url, TYPES);
  const shipment = newId("shp", pooledRandom);
  const data = (id: string) => JSON.stringify({ id, object: "any", status: "created", shipment_id: shipment });
  const arrive = (type: string, id = shipment) => {
    const event = newEvent({ type, caller, data: data(id), now: new Date(), random: pooledRandom });
    eventIds.push(event.id);
    return acceptEvents(deps, [event]);
  };
  const request = { caller, subscriptionId, eventIds };
  const read = async (changed: Partial<typeof request> = {}, of: Pick<DispatchDeps, "db" | "clockOffsetMs"> = deps) => {
    const asked = create(ListTestDeliveriesRequestSchema, { ...request, ...changed });
    return (await listTestDeliveries({ ...deps, ...of }, asked)).deliveries;
  };
  return { caller, arrive, read };
}

test("results are shown as they arrive: under way, then delivered, or the reason and the time of the next attempt", async () => {
  const { arrive, read } = await testOf();
  expect(await read()).toEqual([]);
  await arrive("shipment.created");
  await eventually(() => expect(answers).toHaveLength(1));
  const [underWay] = await read();
  expect(underWay).toMatchObject({ eventType: "shipment.created", state: "in_flight", attempt: 1 });
  expect(underWay?.failure ?? underWay?.status ?? underWay?.nextAt).toBeUndefined();
  answers.shift()?.(204);
  await eventually(async () => expect(await read()).toMatchObject([{ state: "delivered", status: 204 }]));

  await arrive("label.created", "lbl_1");
  await eventually(() => expect(answers).toHaveLength(1));
  answers.shift()?.(500);
  await eventually(async () => {
    const [delivered, failed] = await read();
    expect(delivered?.failure).toBeUndefined();
    expect(failed).toMatchObject({
      eventType: "label.created",
      state: "pending",
      attempt: 1,
      status: 500,
      ms: expect.any(Number),
      failure: { reason: "status", status: 500 },
      nextAt: expect.stringMatching(/Z$/),
    });
  });
});

test("uses only the connections for lists, and shows a failure without an answer by its reason", async () => {
  const { arrive, read } = await testOf(newCaller(), "http://localhost:1/hook");
  await arrive("shipment.created");
  const { pool } = deps.db;
  const others = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    expect(await read()).toMatchObject([{ eventType: "shipment.created" }]);
  } finally {
    for (const client of others) client.release();
  }
  await eventually(async () => {
    const [refused] = await read();
    expect(refused).toMatchObject({ state: "pending", failure: { reason: "connection_refused" } });
    expect(refused?.status).toBeUndefined();
  });
});

test("other events, other types and other subscriptions are left out", async () => {
  const { caller, arrive, read } = await testOf(newCaller(), "http://localhost:1/hook");
  const other = await testOf(caller, "http://localhost:1/hook");
  await other.arrive("shipment.created");
  await arrive("label.voided");
  expect(await read()).toEqual([]);
  const [theirs] = await other.read();
  await arrive("shipment.created");
  const ours = await read();
  expect(ours).toHaveLength(1);
  expect(theirs?.eventId).toMatch(/^evt_/);
  expect(ours[0]?.eventId).not.toBe(theirs?.eventId);
});

test("another account's subscription is missing, and so is a live one", async () => {
  const { caller, read } = await testOf();
  const live: Caller = { ...caller, environment: "live" };
  for (const by of [newCaller(), live]) await expect(read({ caller: by })).rejects.toMatchObject({ code: "not_found" });
  const { id } = await subscribe(deps, live, receiver.url, TYPES);
  const request = create(ListTestDeliveriesRequestSchema, { caller: live, subscriptionId: id });
  await expect(listTestDeliveries(deps, request)).rejects.toMatchObject({ code: "not_found" });
});

test("the cost does not depend on the number of other accounts' events", async () => {
  await deps.db.run(sql`
    INSERT INTO events (id, type, account_id, environment, body, received_at)
    SELECT 'evt_' || n, 'shipment.created', 'acc_other', 'sandbox', convert_to(repeat('x', 900), 'UTF8'), now() + n * interval '1 ms'
    FROM generate_series(1, 20000) AS n`);
  await deps.db.run(sql`ANALYZE events`);
  const { db, statements } = watched(webhooks.db);
  const { arrive, read } = await testOf(newCaller(), "http://localhost:1/hook");
  for (const type of TYPES) await arrive(type);
  expect(await read({}, webhooks.replica({ db }))).toHaveLength(2);
  // The statement reads only as many of 500 IDs as there are event types of events that never arrive, with their deliveries.
  expect(await read({ eventIds: Array.from({ length: 500 }, (_, n) => `evt_${n}`) }, webhooks.replica({ db }))).toEqual(
    [],
  );
  expect(statements).toHaveLength(4);
  for (const statement of statements) expect(await costlyNodes(db, statement)).toEqual([]);
  expect(Math.max(...(await Promise.all(statements.map((statement) => pagesRead(db, statement)))))).toBeLessThan(50);
});
