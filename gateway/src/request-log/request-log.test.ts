import { randomBytes } from "node:crypto";
import type { Caller } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import { createLog, silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { eventually } from "@shipping/kit/testing/eventually";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { samplesIn } from "@shipping/kit/testing/samples";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { countRequests } from "./count-requests.js";
import type { EndedRequest } from "./logged-request.js";
import { startRequestLog } from "./request-log.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeEach(async () => {
  gateway = await gatewayDatabase();
});
afterEach(() => gateway.drop());

/** The warnings that the log has received. */
const warnings: string[] = [];
const log = createLog({ part: "gateway", destination: { write: (line) => void warnings.push(JSON.parse(line).msg) } });

const DAY_MS = 86_400_000;

function start(db: Database = gateway.db) {
  const metrics = createMetrics({ part: "gateway", log: silentLog(), cacheMs: 0 });
  const requestLog = startRequestLog({ db, log, clockOffsetMs: 0, requestLogDays: 7, metrics });
  const sample = async (series: string) => samplesIn(await metrics.render())[series];
  return { ...requestLog, sample };
}

const ended = (caller: Caller | undefined, also: Partial<EndedRequest> = {}): EndedRequest => ({
  requestId: newId("req", randomBytes),
  caller,
  keyId: caller && "key_a",
  method: "POST",
  path: "/api/v1/orders",
  status: 201,
  aborted: false,
  ms: 1,
  replayed: false,
  source: "192.0.2.1",
  userAgent: "",
  ...also,
});

const limited: Partial<EndedRequest> = { status: 429, code: "rate_limited" };
const written = () => countIn(gateway.db, "request_log");

/** Takes every connection of the database, and returns a function that releases them. */
async function takeConnections(): Promise<() => void> {
  const { pool } = gateway.db;
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  pool.options.connectionTimeoutMillis = 50;
  return () => {
    for (const client of held) client.release();
  };
}

test("a stop writes everything that was recorded, counts included", async () => {
  const requests = start();
  const caller = newCaller();
  for (let n = 0; n < 2_500; n++) requests.log(ended(caller));
  requests.countRead(caller);
  await requests.stop();
  expect(await written()).toBe(2_500);
  const { hours } = await countRequests({ db: gateway.db, clockOffsetMs: 0 }, caller);
  expect(hours.map(({ writes, reads }) => writes + reads).reduce((sum, n) => sum + n)).toBe(2_501);
});

test("while the database is away requests wait, and are written once it is back, at their own time", async () => {
  const requests = start();
  const giveBack = await takeConnections();
  requests.log(ended(newCaller()));
  const recordedAt = Date.now();
  await eventually(() => expect(warnings).toContain("request log waiting for its database"));
  giveBack();
  await eventually(async () => expect(await written()).toBe(1));
  const [row] = await rowsIn<{ at: Date }>(gateway.db, "request_log");
  expect(Math.abs(row!.at.getTime() - recordedAt)).toBeLessThan(1_000);
  expect(await requests.sample('request_log_waiting{part="gateway"}')).toBe(0);
  await requests.stop();
});

test("when too many wait the others are left out, and counted as lost", async () => {
  const requests = start();
  const giveBack = await takeConnections();
  const caller = newCaller();
  for (let n = 0; n < 20_003; n++) requests.log(ended(caller));
  expect(await requests.sample('request_log_lost_total{reason="buffer_full",part="gateway"}')).toBe(3);
  giveBack();
  await requests.stop();
  expect(await written()).toBe(20_000);
});

/** A database that loses the responses of its first statements that contain this text. `outcomes` says whether each is committed or lost. */
function losing(text: string, outcomes: string[]): Database {
  return {
    ...gateway.db,
    async run(statement) {
      if (!statement.text.includes(text) || outcomes.length === 0) return gateway.db.run(statement);
      if (outcomes.shift() === "committed") await gateway.db.run(statement);
      throw new DatabaseOutage(new Error("Connection terminated"), true);
    },
  };
}

test("a statement whose answer is lost is not repeated if it was committed, and is if it was not", async () => {
  const outcomes = ["committed", "lost"];
  const requests = start(losing("INSERT INTO request_log", outcomes));
  const caller = newCaller();
  requests.log(ended(caller));
  await eventually(() => expect(outcomes).toEqual(["lost"]));
  requests.log(ended(caller));
  await eventually(async () => expect(await written()).toBe(2));
  await requests.stop();
  const [counted] = await rowsIn<{ count: number }>(gateway.db, "request_counts");
  expect(counted?.count).toBe(2);
});

test.each(["committed", "lost"])(
  "what a statement counts whose answer is lost is counted once: %s",
  async (outcome) => {
    const outcomes = [outcome];
    const requests = start(losing("INSERT INTO request_counts", outcomes));
    requests.log(ended(newCaller()));
    // Counts wait up to ten seconds.
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, "now").mockImplementation(() => now() + 10_000);
    await eventually(() => expect(outcomes).toEqual([]));
    clock.mockRestore();
    await requests.stop();
    expect(await rowsIn(gateway.db, "request_counts")).toMatchObject([{ count: 1 }]);
  },
);

/** A caller whose account is being erased. */
async function erasedCaller(): Promise<Caller> {
  const { accountId } = await gateway.newKey();
  await gateway.db.pool.query("UPDATE accounts SET suspended_at = now(), erasing_since = now() WHERE id = $1", [
    accountId,
  ]);
  return { accountId, environment: "sandbox" };
}

test("rows of an account that is being erased are not written, those of other accounts and of no account are", async () => {
  const requests = start();
  const caller = newCaller();
  for (const who of [await erasedCaller(), caller, undefined]) requests.log(ended(who));
  await requests.stop();
  const rows = await rowsIn<{ accountId: string | null }>(gateway.db, "request_log");
  expect(rows.map(({ accountId }) => accountId).sort()).toEqual([caller.accountId, null]);
  expect(await rowsIn(gateway.db, "request_counts")).toMatchObject([{ accountId: caller.accountId, count: 1 }]);
});

test("a statement whose answer is lost is not repeated, though its first row is of an account that is being erased", async () => {
  const outcomes = ["committed"];
  const erased = await erasedCaller();
  const requests = start(losing("INSERT INTO request_log", outcomes));
  for (const caller of [erased, newCaller()]) requests.log(ended(caller));
  await eventually(() => expect(outcomes).toEqual([]));
  await requests.stop();
  expect(await written()).toBe(1);
});

test("a row that the database refuses takes no other with it", async () => {
  const requests = start();
  const caller = newCaller();
  for (let n = 0; n < 5; n++) requests.log(ended(caller, n === 3 ? { source: "\0" } : {}));
  await requests.stop();
  expect(await written()).toBe(4);
  expect(await requests.sample('request_log_lost_total{reason="refused_by_database",part="gateway"}')).toBe(1);
});

test("a day without a partition gets one when its first request is written", async () => {
  const requests = start();
  await eventually(async () => expect(await partitions()).toHaveLength(4));
  for (const name of await partitions()) await gateway.db.pool.query(`DROP TABLE ${name}`);
  requests.log(ended(newCaller()));
  await requests.stop();
  expect([await written(), (await partitions()).length]).toEqual([1, 4]);
});

async function partitions(): Promise<string[]> {
  const rows = await gateway.db.run<{ name: string }>(
    sql`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'request_log'::regclass`,
  );
  return rows.map(({ name }) => name);
}

describe("a loop of refusals", () => {
  test("is counted in full, and listed up to a number of each key and code; the last row says how many more there were", async () => {
    const requests = start();
    const caller = newCaller();
    for (let n = 0; n < 1_000; n++) requests.log(ended(caller, limited));
    requests.log(ended(caller, { ...limited, keyId: "key_b" }));
    requests.log(ended(caller, { status: 503, code: "service_unavailable" }));
    requests.log(ended(caller, { replayed: true }));
    requests.log(ended(caller, { status: undefined, aborted: true }));
    await requests.stop();
    const rows = await rowsIn<{ more: number; keyId: string }>(gateway.db, "request_log", { code: "rate_limited" });
    expect(rows.map(({ keyId }) => keyId).sort()).toEqual([...Array(11).fill("key_a"), "key_b"]);
    expect(rows.map(({ more }) => more).filter(Boolean)).toEqual([989]);
    expect(await written()).toBe(15);
    const deps = { db: gateway.db, clockOffsetMs: 0 };
    const { hours, refusals } = await countRequests(deps, caller);
    expect(refusals).toEqual([
      { code: "rate_limited", count: 1_001 },
      { code: "service_unavailable", count: 1 },
    ]);
    expect(hours).toHaveLength(24);
    expect(hours.filter(({ refused }) => refused > 0)).toEqual([
      { hour: expect.any(Date), reads: 0, writes: 0, replays: 1, refused: 1_001, failed: 1, aborted: 1 },
    ]);
    const others = await countRequests(deps, newCaller());
    expect([others.hours.every(({ refused }) => refused === 0), others.refusals]).toEqual([true, []]);
    expect((await countRequests({ ...deps, clockOffsetMs: 2 * DAY_MS }, caller)).refusals).toEqual([]);
  });

  test("without a key is listed 120 times a minute, whatever it tries", async () => {
    const requests = start();
    for (let n = 0; n < 1_000; n++)
      requests.log(ended(undefined, { status: 401, code: "unauthorized", path: `/api/v1/${n}` }));
    await requests.stop();
    expect(await written()).toBe(121);
    expect(await countIn(gateway.db, "request_counts")).toBe(0);
  });
});
