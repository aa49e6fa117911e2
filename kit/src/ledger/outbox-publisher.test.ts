import { join } from "node:path";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql from "sql-template-tag";
import { createLog, silentLog } from "../process/log.js";
import { startTracing } from "../process/tracing.js";
import { openTransaction, type TestDatabase, testDatabase } from "../testing/database.js";
import { lockWaits } from "../testing/locks.js";
import { otlpCollector } from "../testing/otlp-collector.js";
import { outboxTestbed, testBus, thingCreated } from "../testing/outbox-testbed.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
});
beforeEach(() => database.db.run(sql`DELETE FROM outbox`));
afterAll(() => database.drop());

// The relay takes rows only after the process that inserted them has had five seconds.
const LATER = { clockOffsetMs: 6_000 };

test("an outage of the bus is logged once, however many events wait, and so is its end", async () => {
  const { outboxOn, commit } = outboxTestbed(database.db);
  const lines: unknown[] = [];
  const log = createLog({ part: "records", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const bus = testBus();
  const outbox = outboxOn(bus, { ...LATER, log });
  for (let n = 0; n < 3; n++) await commit(outboxOn(bus), thingCreated());
  bus.out = true;
  for (let n = 0; n < 3; n++) expect(await outbox.relayOnce()).toBe(0);
  const began = { msg: "the bus takes no events; they wait in the outbox", reason: "no quorum" };
  expect(lines).toEqual([expect.objectContaining(began)]);
  bus.out = false;
  while ((await outbox.relayOnce()) > 0);
  expect(bus.taken).toHaveLength(3);
  expect(lines).toEqual([
    expect.objectContaining(began),
    expect.objectContaining({ msg: "the bus takes events again" }),
  ]);
});

test("an event that another process publishes keeps its trace, if it has one", async () => {
  const { outboxOn, commit } = outboxTestbed(database.db);
  const traces: string[] = [];
  const bus = { ...testBus(), publish: async (event: Event) => void traces.push(event.traceparent) };
  for (const traceparent of ["", "00-1-2-01"]) await commit(outboxOn(bus), { ...thingCreated(), traceparent });
  expect(await outboxOn(bus, LATER).relayOnce()).toBe(2);
  expect(traces).toEqual(["", "00-1-2-01"]);
});

test("rows are locked in their order, whatever the order of their publication, so that two processes cannot deadlock", async () => {
  const { outboxOn, commit, rows } = outboxTestbed(database.db);
  const stored = [thingCreated(), thingCreated()];
  const outbox = outboxOn(testBus());
  for (const one of stored) await commit(outbox, one);
  const [first, last] = stored.map(({ id }) => id);
  const other = await openTransaction(database.db);
  const lock = (id: string | undefined) =>
    other.query({ text: "SELECT FROM outbox WHERE event_id = $1 FOR UPDATE NOWAIT", values: [id] });
  await lock(first);
  for (const one of stored.toReversed()) outbox.committed(one);
  await lockWaits(database.db);
  expect((await lock(last)).rowCount).toBe(1);
  await other.query("COMMIT");
  other.release();
  await outbox.stop();
  expect(await rows()).toMatchObject([{ published: true }, { published: true }]);
});

test("a publication is a span of a producer", async () => {
  const { outboxOn, commit } = outboxTestbed(database.db);
  const collector = await otlpCollector();
  const config = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: 1 };
  const tracing = await startTracing({ part: "test", config, log: silentLog() });
  const outbox = outboxOn(testBus());
  const stored = { ...thingCreated(), traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
  await commit(outbox, stored);
  outbox.committed(stored);
  await outbox.stop();
  await tracing.close();
  await collector.stop();
  // In OTLP's protobuf, the kind is field 6, which follows the name. The value of a producer is 4.
  expect(Buffer.concat(collector.requests).toString("latin1")).toContain("publish thing.created\x30\x04");
});
