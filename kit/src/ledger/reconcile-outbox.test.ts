import { join } from "node:path";
import sql from "sql-template-tag";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { outboxTestbed, testBus, thingCreated } from "../testing/outbox-testbed.js";
import { costlyNodes, watched } from "../testing/plans.js";
import type { Published } from "./reconcile-outbox.js";

const MINUTE_MS = 60_000;
/** The rows are due a little over a minute after their publication. */
const ROUND_MS = 61_000;

let database: TestDatabase;
let testbed: ReturnType<typeof outboxTestbed>;
beforeAll(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
  testbed = outboxTestbed(database.db);
});
beforeEach(() => database.db.run(sql`DELETE FROM outbox`));
afterAll(() => database.drop());

/** Events that were published two minutes ago, `evt_1` and so on. */
const insertPublished = (count: number, publications = 1) =>
  database.db.run(sql`
    INSERT INTO outbox (event_id, type, account_id, environment, body, created_at, leased_until, published_at, publications)
    SELECT 'evt_' || n, 'thing.created', 'acc_1', 'sandbox', 'body', now(), now(), now() - interval '2 minutes', ${publications}
    FROM generate_series(1, ${count}) AS n`);

/** The subscriber has received no events. */
const nothing = async (events: readonly Published[]) => events.map(({ id }) => id);

test("asks about rows published over a minute ago, deletes those that have arrived, and publishes the others under a new message id", async () => {
  const bus = testBus();
  const [arrived, lost, fresh] = [thingCreated(), thingCreated(), thingCreated()];
  for (const one of [arrived, lost]) await testbed.commitAndPublish(bus, one);
  await testbed.commit(testbed.outboxOn(bus), fresh);
  const asked: Published[] = [];
  const filterMissing = async (events: readonly Published[]) => {
    asked.push(...events);
    return [lost.id];
  };
  const later = testbed.outboxOn(bus, { filterMissing, clockOffsetMs: 61_000 });
  expect(await later.lag()).toMatchObject({ oldestMissingSeconds: 0 });
  expect(await later.reconcileOnce()).toMatchObject({ republished: 1, deleted: 1 });
  expect((await later.lag()).oldestMissingSeconds).toBeGreaterThan(60);
  const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  expect(asked).toEqual([arrived, lost].map(({ id }) => ({ id, createdAt })));
  expect(bus.taken).toContain(`${lost.id}.1`);
  expect(await testbed.rows()).toMatchObject([
    { event_id: lost.id, published: true, publications: 2 },
    { event_id: fresh.id, published: false },
  ]);
});

test("does not ask about rows that were just published, or not at all", async () => {
  const bus = testBus();
  await testbed.commitAndPublish(bus, thingCreated());
  const filterMissing = jest.fn(nothing);
  const outbox = testbed.outboxOn(bus, { filterMissing });
  await testbed.commit(outbox, thingCreated());
  expect(await outbox.reconcileOnce()).toMatchObject({ republished: 0, deleted: 0 });
  expect(filterMissing).not.toHaveBeenCalled();
});

test("keeps a row until its part lets it go", async () => {
  const bus = testBus();
  await testbed.commitAndPublish(bus, thingCreated());
  const later = testbed.outboxOn(bus, { clockOffsetMs: 61_000, deletable: sql`EXISTS (SELECT FROM things)` });
  expect(await later.reconcileOnce()).toMatchObject({ republished: 0, deleted: 0 });
  await database.db.run(sql`INSERT INTO things VALUES ('done', 'done')`);
  expect(await later.reconcileOnce()).toMatchObject({ republished: 0, deleted: 1 });
});

test("deletes no rows when the subscriber cannot be asked", async () => {
  const bus = testBus();
  await testbed.commitAndPublish(bus, thingCreated());
  const filterMissing = async () => Promise.reject(new Error("webhooks is down"));
  await expect(testbed.outboxOn(bus, { filterMissing, clockOffsetMs: 61_000 }).reconcileOnce()).rejects.toThrow("down");
  expect(await testbed.rows()).toHaveLength(1);
});

describe("an event that has not arrived", () => {
  const repeatAfter = async (ms: number) =>
    (await testbed.outboxOn(testBus(), { filterMissing: nothing, clockOffsetMs: ms }).reconcileOnce()).republished;

  test("is repeated after a minute, then after twice as long each time: a subscriber that lags is not buried under repetitions", async () => {
    const bus = testBus();
    await testbed.commitAndPublish(bus, thingCreated());
    const repeated: number[] = [];
    for (let round = 1; round <= 60; round++) {
      if ((await repeatAfter(round * ROUND_MS)) > 0) repeated.push(round);
    }
    expect(repeated).toEqual([1, 3, 7, 15, 31]);
  });

  test("is eventually repeated about every hour, however often it was repeated before", async () => {
    await testbed.commitAndPublish(testBus(), thingCreated());
    for (const publications of [7, 100, 5_000]) {
      await database.db.run(sql`UPDATE outbox SET publications = ${publications}, published_at = clock_timestamp()`);
      expect(await repeatAfter(63 * MINUTE_MS)).toBe(0);
      expect(await repeatAfter(65 * MINUTE_MS)).toBe(1);
    }
  });

  test("counts as repeated once when several replicas repeat it at the same time, under the same message id", async () => {
    const bus = testBus();
    const stored = thingCreated();
    await testbed.commitAndPublish(bus, stored);
    let asking = 0;
    let allHaveAsked = () => {};
    const all = new Promise<void>((resolve) => (allHaveAsked = resolve));
    const filterMissing = async (events: readonly Published[]) => {
      if (++asking === 3) allHaveAsked();
      await all;
      return nothing(events);
    };
    const replicas = [1, 2, 3].map(() => testbed.outboxOn(bus, { filterMissing, clockOffsetMs: ROUND_MS }));
    await Promise.all(replicas.map((replica) => replica.reconcileOnce()));
    expect(bus.taken).toEqual([stored.id, ...Array.from({ length: 3 }, () => `${stored.id}.1`)]);
    expect(await testbed.rows()).toMatchObject([{ publications: 2 }]);
  });
});

test("however many rows wait for their next turn, one statement reads a thousand rows, only the oldest are asked about, and due rows behind them are found", async () => {
  await insertPublished(2_500, 9);
  const last = thingCreated();
  await testbed.commitAndPublish(testBus(), last);
  const asked: string[] = [];
  const filterMissing = async (events: readonly Published[]) => {
    asked.push(...events.map(({ id }) => id));
    return [];
  };
  const { db, statements } = watched(database.db);
  const outbox = testbed.outboxOn(testBus(), { db, filterMissing, clockOffsetMs: ROUND_MS });
  expect(await outbox.reconcileOnce()).toMatchObject({ republished: 0, deleted: 1_001 });
  expect(asked).toHaveLength(1_001);
  expect(asked.at(-1)).toBe(last.id);
  expect(statements.filter(({ text }) => /^\s*SELECT/.test(text))).toHaveLength(3);
  const costly = await Promise.all(statements.map((statement) => costlyNodes(db, statement)));
  expect(costly.flat()).toEqual([]);
});

test("reads the bodies of lost events only, and few of those at once", async () => {
  await insertPublished(300);
  const bodies: number[] = [];
  const run: typeof database.db.run = async (statement) => {
    const rows = await database.db.run<{ body?: Buffer | null }>(statement);
    bodies.push(rows.filter(({ body }) => body).length);
    return rows as never;
  };
  const bus = testBus();
  const lost = Array.from({ length: 120 }, (_, n) => `evt_${n + 1}`);
  const outbox = testbed.outboxOn(bus, { db: { ...database.db, run }, filterMissing: async () => lost });
  expect(await outbox.reconcileOnce()).toMatchObject({ republished: 120, deleted: 180 });
  expect(bus.taken.sort()).toEqual(lost.map((id) => `${id}.1`).sort());
  expect(bodies.filter((count) => count > 0)).toEqual([50, 50, 20]);
});

test("ends early when the process stops: the next one continues", async () => {
  await insertPublished(2_500);
  let asked = 0;
  const filterMissing = async (events: readonly Published[]) => {
    asked += events.length;
    return nothing(events);
  };
  const bus = testBus();
  const outbox = testbed.outboxOn(bus, { filterMissing });
  expect(await outbox.reconcileOnce(() => bus.tries >= 100)).toMatchObject({ republished: 100, deleted: 0 });
  expect(asked).toBe(1_000);
});
