import { randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import { openTransaction } from "@shipping/kit/testing/database";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { keepPartitionsOnce, writeRequests } from "./write-requests.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeEach(async () => {
  gateway = await gatewayDatabase();
});
afterEach(() => gateway.drop());

const DAY_MS = 86_400_000;

/** Maintains the partitions with the clock moved by this many days. */
const keep = (days = 0, requestLogDays = 7) =>
  keepPartitionsOnce({ db: gateway.db, clockOffsetMs: days * DAY_MS, requestLogDays });

async function partitions(): Promise<string[]> {
  const rows = await gateway.db.run<{ name: string }>(sql`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'request_log'::regclass ORDER BY 1`);
  return rows.map(({ name }) => name);
}

const nameOf = (days: number) =>
  `request_log_${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;

/** Logs a request with the clock moved by this many days. */
const log = (days: number) => {
  const caller = newCaller();
  const row = {
    requestId: newId("req", randomBytes),
    ...caller,
    method: "POST",
    path: "/api/v1/orders",
    ms: 1,
    replayed: false,
    source: "",
    userAgent: "",
    endedAt: performance.now(),
    more: 0,
  };
  const count = { ...caller, outcome: "write", count: 1 };
  return writeRequests({ db: gateway.db, clockOffsetMs: days * DAY_MS }, [row], [count]);
};

test("partitions are made for yesterday to the day after tomorrow, by however many gateways at once", async () => {
  const kept = await Promise.all(Array.from({ length: 6 }, () => keep()));
  expect(kept.map(({ made }) => made).sort()).toEqual([0, 0, 0, 0, 0, 4]);
  expect(await partitions()).toEqual([-1, 0, 1, 2].map(nameOf));
});

test("a request is kept for seven days, and a day later at the latest its partition is dropped; counts are kept for thirty", async () => {
  await keep();
  await log(0);
  await keep(7);
  expect(await countIn(gateway.db, "request_log")).toBe(1);
  expect(await keep(8)).toMatchObject({ dropped: 1 });
  expect(await countIn(gateway.db, "request_log")).toBe(0);
  expect(await partitions()).not.toContain(nameOf(0));
  expect((await keep(30)).counts).toBe(0);
  expect((await keep(31)).counts).toBe(1);
});

test("a clock that was wrong, years ahead or behind, makes partitions of its own, and what was there is whole", async () => {
  await keep();
  for (const days of [-4_000, 3]) {
    await keep(days);
    await log(days);
  }
  await keep();
  expect(await countIn(gateway.db, "request_log")).toBe(1);
  await log(0);
  expect(await countIn(gateway.db, "request_log")).toBe(2);
});

test("switched off, none is made, and the days before today go", async () => {
  await keep();
  expect(await keep(0, 0)).toMatchObject({ made: 0, dropped: 1 });
  expect(await partitions()).toEqual([0, 1, 2].map(nameOf));
});

test("a drop that would have to wait for a reader is postponed, and does not block others", async () => {
  await keep();
  const reader = await openTransaction(gateway.db);
  await reader.query("SELECT count(*) FROM request_log");
  expect(await keep(8)).toMatchObject({ dropped: 0 });
  await log(8);
  await reader.query("COMMIT");
  reader.release();
  expect((await keep(8)).dropped).toBeGreaterThan(0);
});

test("a role that owns no table can maintain them", async () => {
  const client = await gateway.db.pool.connect();
  const role = `runtime_${randomBytes(4).toString("hex")}`;
  await client.query(`CREATE ROLE ${role}; GRANT SELECT, INSERT ON request_log TO ${role}; SET ROLE ${role}`);
  const { rows } = await client.query("SELECT made FROM keep_request_log(now(), 7)");
  await client.query(
    "INSERT INTO request_log SELECT now(), 'req', NULL, NULL, NULL, '', '', 1, NULL, NULL, 1, NULL, false, NULL, '', '', 0",
  );
  await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
  client.release();
  expect(rows).toEqual([{ made: 4 }]);
});
