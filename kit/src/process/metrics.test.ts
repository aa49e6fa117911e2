import { join } from "node:path";
import { measureBus } from "../events/bus.js";
import { measureOutbox } from "../ledger/outbox.js";
import { measurePool } from "../postgres/database.js";
import { testDatabase } from "../testing/database.js";
import { silentLog } from "./log.js";
import { createMetrics } from "./metrics.js";

const metricsOf = (part: string, cacheMs = 0) => createMetrics({ part, log: silentLog(), cacheMs });

/** The samples in a text of metrics, by series. */
function samplesIn(text: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

test("counters count, one for each value of a label, from zero on", async () => {
  const metrics = metricsOf("test");
  const count = metrics.counter("things_total", "Things.");
  const countEnd = metrics.counterOf("ends_total", "Ends.", { by: "end", values: ["good", "bad"] });
  count();
  count(2);
  countEnd("good");
  expect(samplesIn(await metrics.render())).toEqual({
    'things_total{part="test"}': 3,
    'ends_total{end="good",part="test"}': 1,
    'ends_total{end="bad",part="test"}': 0,
  });
});

test("several parts in one process, and a part that is started twice, do not meet", async () => {
  const counts = ["one", "two", "two"].map((part) => {
    const metrics = metricsOf(part);
    return { metrics, count: metrics.counter("things_total", "Things.") };
  });
  counts[1]?.count();
  const texts = await Promise.all(counts.map(({ metrics }) => metrics.render()));
  expect(texts.map(samplesIn)).toEqual([
    { 'things_total{part="one"}': 0 },
    { 'things_total{part="two"}': 1 },
    { 'things_total{part="two"}': 0 },
  ]);
});

describe("gauges", () => {
  const help = { first: "The first.", second: "The second." };

  test("one reading serves all of them, and the scrapes that follow soon", async () => {
    const metrics = metricsOf("test", 60_000);
    let readings = 0;
    metrics.gauges(help, async () => ({ first: ++readings, second: 7 }));
    const all = await Promise.all([metrics.render(), metrics.render()]);
    for (const text of [...all, await metrics.render()]) {
      expect(samplesIn(text)).toEqual({ 'first{part="test"}': 1, 'second{part="test"}': 7 });
    }
  });

  test("a reading that fails leaves its gauges out and nothing else", async () => {
    const metrics = metricsOf("test");
    let away = false;
    metrics.counter("things_total", "Things.");
    metrics.gauges(help, async () => {
      if (away) throw new Error("the database is away");
      return { first: 1, second: 2 };
    });
    await metrics.render();
    away = true;
    expect(samplesIn(await metrics.render())).toEqual({ 'things_total{part="test"}': 0 });
    away = false;
    expect(samplesIn(await metrics.render())).toMatchObject({ 'first{part="test"}': 1 });
  });
});

test("work is counted by name and result, and timed by name", async () => {
  const metrics = metricsOf("test");
  const names = { total: "jobs_total", seconds: "job_seconds", by: "job", result: "end" };
  const count = metrics.work(names, { total: "Jobs.", seconds: "Their time." });
  count({ name: "wash", result: "good", ms: 30 });
  count({ name: "wash", result: "bad", ms: 3_000 });
  expect(samplesIn(await metrics.render())).toMatchObject({
    'jobs_total{job="wash",end="good",part="test"}': 1,
    'jobs_total{job="wash",end="bad",part="test"}': 1,
    'job_seconds_bucket{le="0.05",part="test",job="wash"}': 1,
    'job_seconds_bucket{le="5",part="test",job="wash"}': 2,
    'job_seconds_sum{part="test",job="wash"}': 3.03,
  });
});

test("the pools are measured: connections in use, and who waits for one", async () => {
  const { db, drop } = await testDatabase({ directory: join(__dirname, "../testing/fixtures/prisma") });
  const metrics = metricsOf("test");
  measurePool(metrics, db);
  const taken = await Promise.all(Array.from({ length: 8 }, () => db.pool.connect()));
  const waiting = db.pool.connect();
  const list = await db.listPool.connect();
  expect(samplesIn(await metrics.render())).toEqual({
    'database_pool_in_use{part="test"}': 8,
    'database_pool_waiting{part="test"}': 1,
    'database_pool_max{part="test"}': 8,
    'database_list_pool_in_use{part="test"}': 1,
    'database_list_pool_waiting{part="test"}': 0,
  });
  for (const client of [...taken, list]) client.release();
  (await waiting).release();
  expect(samplesIn(await metrics.render())).toMatchObject({ 'database_pool_in_use{part="test"}': 0 });
  await drop();
});

test("bus and outbox are measured", async () => {
  const metrics = metricsOf("test");
  let connected = true;
  measureBus(metrics, { connected: () => connected });
  measureOutbox(metrics, { lag: async () => ({ unpublished: 3, oldestSeconds: 1.5 }) });
  expect(samplesIn(await metrics.render())).toEqual({
    'bus_connected{part="test"}': 1,
    'outbox_unpublished_events{part="test"}': 3,
    'outbox_oldest_unpublished_seconds{part="test"}': 1.5,
  });
  connected = false;
  expect(samplesIn(await metrics.render())).toMatchObject({ 'bus_connected{part="test"}': 0 });
});
