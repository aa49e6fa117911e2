import sql from "sql-template-tag";
import { silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { CONNECT_MS } from "../testing/database.js";
import { samplesIn } from "../testing/samples.js";
import { databaseNow, measureClock, windowStart } from "./clock.js";
import { type Database, openDatabase } from "./database.js";

let db: Database;
beforeAll(() => {
  db = openDatabase(process.env.TEST_DATABASE_URL!, { connectMs: CONNECT_MS, log: silentLog() });
});
afterAll(() => db.close());

/** Returns the metric of a process whose clock is this many seconds ahead of the database's. */
async function measured(processAhead: number): Promise<number | undefined> {
  const metrics = createMetrics({ part: "test", log: silentLog() });
  measureClock(metrics, db, () => Date.now() + processAhead * 1_000);
  return samplesIn(await metrics.render())['database_clock_ahead_seconds{part="test"}'];
}

test("the clock of the database is measured against that of the process", async () => {
  for (const processAhead of [0, -300, 300]) expect(await measured(processAhead)).toBeCloseTo(0 - processAhead, -1);
});

test("the time of statements is the database's, moved by what is asked for", async () => {
  const ahead = async (clock: { clockOffsetMs: number }, plusMs?: number) => {
    const later = sql`extract(epoch FROM ${databaseNow(clock, plusMs)} - clock_timestamp())::float8`;
    const [row] = await db.run<{ seconds: number }>(sql`SELECT ${later} AS seconds`);
    return row?.seconds;
  };
  expect(await ahead({ clockOffsetMs: 0 })).toBeCloseTo(0, 0);
  expect(await ahead({ clockOffsetMs: 60_000 }, 5_000)).toBeCloseTo(65, 0);
});

test("a window begins at the same time for all, and the next one follows it", async () => {
  const start = async (clockOffsetMs: number) => {
    const begins = sql`extract(epoch FROM ${windowStart({ clockOffsetMs }, 10)})::float8`;
    const [row] = await db.run<{ at: number; age: number }>(sql`
      SELECT ${begins} AS at, extract(epoch FROM ${databaseNow({ clockOffsetMs })})::float8 - ${begins} AS age`);
    return row!;
  };
  const [first, next] = [await start(0), await start(600_000)];
  expect(first.at % 600).toBe(0);
  expect(first.age).toBeGreaterThanOrEqual(0);
  expect(first.age).toBeLessThan(600);
  expect([600, 1_200]).toContain(next.at - first.at);
});
