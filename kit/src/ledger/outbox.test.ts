import { randomBytes } from "node:crypto";
import { join } from "node:path";
import sql from "sql-template-tag";
import { silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { outboxTestbed, testBus, thingCreated } from "../testing/outbox-testbed.js";
import { costlyNodes, watched } from "../testing/plans.js";
import { samplesIn } from "../testing/samples.js";
import { createOutbox, measureOutbox, newEvent } from "./outbox.js";

const event = thingCreated;

let database: TestDatabase;
let outboxOn: ReturnType<typeof outboxTestbed>["outboxOn"];
let commit: ReturnType<typeof outboxTestbed>["commit"];
let rows: ReturnType<typeof outboxTestbed>["rows"];
beforeAll(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
  ({ outboxOn, commit, rows } = outboxTestbed(database.db));
});
beforeEach(() => database.db.run(sql`DELETE FROM outbox`));
afterAll(() => database.drop());

describe("newEvent", () => {
  test("renders the webhook body: id, type, livemode, created_at, and the data unchanged", () => {
    const made = event();
    expect(Buffer.from(made.body).toString()).toBe(
      `{"id":"${made.id}","type":"thing.created","livemode":false,"created_at":"2026-11-21T10:00:00.000Z","data":{"id":"t_1"}}`,
    );
    expect(made.id).toMatch(/^evt_/);
    const caller = { accountId: made.accountId, environment: "live" } as const;
    const live = newEvent({ type: "thing.created", caller, data: "{}", now: new Date(0), random: randomBytes });
    expect(Buffer.from(live.body).toString()).toContain('"livemode":true');
  });
});

describe("the relay", () => {
  test("events that this process has committed are published from memory and marked", async () => {
    const bus = testBus();
    const outbox = outboxOn(bus);
    const stored = [event(), event(), event()];
    for (const one of stored) await commit(outbox, one);
    for (const one of stored) outbox.committed(one);
    await outbox.stop();
    expect(bus.taken.sort()).toEqual(stored.map(({ id }) => id).sort());
    expect(await rows()).toEqual(stored.map(({ id }) => ({ event_id: id, published: true, publications: 1 })));
  });

  test("a row that a dead process left is published once its lease has expired, by only one of several relays", async () => {
    const bus = testBus();
    const stored = event();
    await commit(outboxOn(bus), stored);
    expect(await outboxOn(bus).relayOnce()).toBe(0);
    const later = [1, 2, 3].map(() => outboxOn(bus, { clockOffsetMs: 5_100 }));
    const counts = await Promise.all(later.map((outbox) => outbox.relayOnce()));
    expect(counts.sort()).toEqual([0, 0, 1]);
    expect(bus.taken).toEqual([stored.id]);
  });

  test("a row that was leased before the database's clock was set back by minutes does not wait until the clock has caught up", async () => {
    const bus = testBus();
    const stored = event();
    await commit(outboxOn(bus), stored);
    expect(await outboxOn(bus, { clockOffsetMs: -300_000 }).relayOnce()).toBe(1);
    expect(bus.taken).toEqual([stored.id]);
  });

  test("while the bus refuses events, no event is lost, and the message id stays the same", async () => {
    const bus = testBus();
    bus.refusing = true;
    const outbox = outboxOn(bus);
    const stored = event();
    await commit(outbox, stored);
    outbox.committed(stored);
    expect(await outboxOn(bus, { clockOffsetMs: 6_000 }).relayOnce()).toBe(0);
    expect(await rows()).toMatchObject([{ published: false }]);
    bus.refusing = false;
    expect(await outboxOn(bus, { clockOffsetMs: 12_000 }).relayOnce()).toBe(1);
    expect(bus.taken).toEqual([stored.id]);
  });

  test("without a connection no rows are leased, so events are published as soon as there is one", async () => {
    const bus = testBus();
    bus.down = true;
    const stored = event();
    const { db, statements } = watched(database.db);
    const outbox = outboxOn(bus, { db });
    await commit(outbox, stored);
    outbox.committed(stored);
    expect(await outbox.relayOnce()).toBe(0);
    await outbox.stop();
    expect(statements).toEqual([]);
    bus.down = false;
    expect(await outbox.relayOnce()).toBe(1);
    expect(bus.taken).toEqual([stored.id]);
  });

  test("while the bus takes no events, one at a time is tried; once it takes one, all others follow at once", async () => {
    const bus = testBus();
    const outbox = outboxOn(bus);
    bus.out = true;
    const stored = Array.from({ length: 20 }, event);
    for (const one of stored.slice(0, 10)) await commit(outbox, one);
    for (const one of stored.slice(0, 10)) outbox.committed(one);
    await outbox.stop();
    expect(bus.tries).toBe(10);
    for (const one of stored.slice(10)) {
      await commit(outbox, one);
      outbox.committed(one);
    }
    for (const tries of [11, 12, 13]) {
      expect(await outbox.relayOnce()).toBe(0);
      expect(bus.tries).toBe(tries);
    }
    bus.out = false;
    expect(await outbox.relayOnce()).toBe(1);
    expect(bus.taken).toEqual([stored[0]?.id]);
    expect(await outbox.relayOnce()).toBe(19);
    expect([...bus.taken].sort()).toEqual(stored.map(({ id }) => id).sort());
  });

  test("an event that the bus refuses because of its content does not hold up the others", async () => {
    const bus = testBus();
    const outbox = outboxOn(bus, { clockOffsetMs: 6_000 });
    const [bad, good] = [event(), event()];
    for (const one of [bad, good]) await commit(outboxOn(bus), one);
    const publish = bus.publish;
    bus.publish = async (one, messageId) => {
      if (one.id === bad.id) throw new Error("Permissions Violation");
      await publish(one, messageId);
    };
    expect(await outbox.relayOnce()).toBe(1);
    expect(await outbox.relayOnce()).toBe(0);
    expect(bus.taken).toEqual([good.id]);
  });

  test("finds its rows by indexes alone, also when PostgreSQL last saw the table empty", async () => {
    const bus = testBus();
    const { db, statements } = watched(database.db);
    const watchedOutbox = createOutbox({ db, bus, log: silentLog(), filterMissing: async () => [] });
    for (let n = 0; n < 300; n++) await commit(outboxOn(bus), event());
    await database.db.run(sql`DELETE FROM outbox`);
    await database.db.pool.query("VACUUM ANALYZE outbox");
    await commit(outboxOn(bus, { clockOffsetMs: -60_000 }), event());
    bus.out = true;
    expect(await watchedOutbox.relayOnce()).toBe(0);
    bus.out = false;
    expect(await watchedOutbox.relayOnce()).toBe(1);
    expect(statements.map(({ text }) => text.trim().split(" ", 2).join(" "))).toEqual(Array(4).fill("UPDATE outbox"));
    for (const statement of statements)
      expect(await costlyNodes(database.db, statement)).toEqual(
        statement.text.includes("SKIP LOCKED") ? ["Index Scan of all of outbox_unpublished"] : [],
      );
  });

  describe("an event that is committed while 256 others wait for the bus", () => {
    async function stalled(bus: ReturnType<typeof testBus>, run: () => Promise<void>): Promise<void> {
      const { publish } = bus;
      let goOn = () => {};
      const stall = new Promise<void>((resolve) => (goOn = resolve));
      bus.publish = async (one, messageId) => stall.then(() => publish(one, messageId));
      await run();
      bus.publish = publish;
      goOn();
    }

    test("is not leased: any process takes it as soon as the bus continues", async () => {
      const bus = testBus();
      const outbox = outboxOn(bus);
      const later = [event(), event()];
      await stalled(bus, async () => {
        for (let n = 0; n < 256; n++) outbox.committed(event());
        for (const one of later) {
          await commit(outbox, one);
          outbox.committed(one);
        }
      });
      expect(await outboxOn(bus).relayOnce()).toBe(2);
      await outbox.stop();
      expect(bus.taken.filter((id) => later.some((one) => one.id === id))).toEqual(later.map(({ id }) => id));
    });

    test("is released if others took the room between its statement and its commit", async () => {
      const bus = testBus();
      const outbox = outboxOn(bus);
      const late = event();
      await stalled(bus, async () => {
        await commit(outbox, late);
        for (let n = 0; n < 256; n++) outbox.committed(event());
        outbox.committed(late);
        expect(bus.taken).toEqual([]);
      });
      await outbox.stop();
      expect(bus.taken).not.toContain(late.id);
      expect(await outboxOn(bus).relayOnce()).toBe(1);
      expect(bus.taken).toContain(late.id);
    });
  });

  test("its loop publishes events that it was not told of", async () => {
    const bus = testBus();
    const outbox = outboxOn(bus, { clockOffsetMs: 10_000 });
    await commit(outboxOn(bus), event());
    outbox.start();
    await eventually(async () => expect(await rows()).toMatchObject([{ published: true }]));
    await outbox.stop();
  });
});

test("a stop does not wait until a backlog is published", async () => {
  const bus = testBus();
  const outbox = outboxOn(bus, { clockOffsetMs: 10_000 });
  const { publish } = bus;
  let stopped: Promise<void> | undefined;
  bus.publish = async (one, messageId) => {
    stopped ??= outbox.stop();
    await publish(one, messageId);
  };
  for (let n = 0; n < 300; n++) await commit(outboxOn(bus), event());
  outbox.start();
  await eventually(() => expect(stopped).toBeDefined());
  await stopped;
  expect(bus.taken.length).toBeLessThan(300);
});

describe("lag", () => {
  test("counts unpublished events, and returns the age of the oldest", async () => {
    const outbox = outboxOn(testBus());
    expect(await outbox.lag()).toEqual({ unpublished: 0, oldestSeconds: 0, oldestMissingSeconds: 0 });
    for (const one of [event(), event()]) await commit(outbox, one);
    const { unpublished, oldestSeconds } = await outboxOn(testBus(), { clockOffsetMs: 60_000 }).lag();
    expect(unpublished).toBe(2);
    expect(oldestSeconds).toBeGreaterThanOrEqual(60);
    expect(await outboxOn(testBus(), { clockOffsetMs: 60_000 }).relayOnce()).toBe(2);
    expect(await outbox.lag()).toEqual({ unpublished: 0, oldestSeconds: 0, oldestMissingSeconds: 0 });
  });
});

test("the relay's backlog is measured", async () => {
  const metrics = createMetrics({ part: "test", log: silentLog(), cacheMs: 0 });
  measureOutbox(metrics, { lag: async () => ({ unpublished: 3, oldestSeconds: 1.5, oldestMissingSeconds: 400 }) });
  expect(samplesIn(await metrics.render())).toEqual({
    'outbox_unpublished_events{part="test"}': 3,
    'outbox_oldest_unpublished_seconds{part="test"}': 1.5,
    'outbox_oldest_unaccepted_seconds{part="test"}': 400,
  });
});
