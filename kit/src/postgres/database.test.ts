import { join } from "node:path";
import sql from "sql-template-tag";
import { silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { startTracing, traced } from "../process/tracing.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { otlpCollector } from "../testing/otlp-collector.js";
import { samplesIn } from "../testing/samples.js";
import { type Database, isByteaArray, measurePool, openDatabase, violated } from "./database.js";

let owned: TestDatabase;
let db: Database;
beforeAll(async () => {
  owned = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
  db = owned.db;
  await db.run(
    sql`CREATE TABLE parcels (id text PRIMARY KEY, grams bigint CONSTRAINT parcels_grams_positive CHECK (grams > 0), packed_at timestamptz(3))`,
  );
});
afterAll(() => owned.drop());

describe("run", () => {
  let single: Database;
  beforeEach(() => {
    single = openDatabase(owned.url, { max: 1, log: silentLog() });
  });
  afterEach(() => single.close());

  test("yields rows with bigint as BigInt, timestamptz as Date and bytea as bytes", async () => {
    const packedAt = new Date("2026-01-02T03:04:05.678Z");
    await db.run(sql`INSERT INTO parcels VALUES ('big', ${2n ** 62n}, ${packedAt})`);
    const rows = await db.run(
      sql`SELECT id, grams, packed_at, '\\x00ff'::bytea AS bytes FROM parcels WHERE id = ${"big"}`,
    );
    expect(rows).toEqual([{ id: "big", grams: 2n ** 62n, packed_at: packedAt, bytes: Buffer.from([0, 255]) }]);
  });

  test("prepares a text once per connection, whatever its values", async () => {
    for (const id of ["a", "b"]) await single.run(sql`SELECT id FROM parcels WHERE id = ${id}`);
    const prepared = sql`SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT id FROM%'`;
    const name = expect.stringMatching(/^[\w-]{22}$/);
    expect(await single.run(prepared)).toEqual([{ name, statement: "SELECT id FROM parcels WHERE id = $1" }]);
    await single.runList(sql`SELECT id FROM parcels LIMIT 1`);
    await single.runList(sql`SELECT id FROM parcels LIMIT 2`, { replan: true });
    expect(await single.runList(prepared)).toEqual([{ name, statement: "SELECT id FROM parcels LIMIT 1" }]);
  });

  test("finds rows by their index, even if the table was empty when the statement first ran", async () => {
    const ids = Array.from({ length: 50 }, (_, at) => `box-${at}`);
    await single.run(
      sql`UPDATE parcels SET grams = 1 FROM unnest(${ids}::text[]) AS packed (id) WHERE parcels.id = packed.id`,
    );
    const [{ name } = { name: "" }] = await single.run<{ name: string }>(
      sql`SELECT name FROM pg_prepared_statements WHERE statement LIKE 'UPDATE parcels%'`,
    );
    const { rows } = await single.pool.query(`EXPLAIN EXECUTE "${name}"('{${ids}}')`);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("parcels_pkey");
    expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join/);
  });

  test("is a span with the statement's text, and without its values", async () => {
    const collector = await otlpCollector();
    const config = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: 1 };
    const tracing = await startTracing({ part: "test", config, log: silentLog() });
    await traced("request", { kind: "server" }, () => db.run(sql`SELECT ${"a secret"} AS value`));
    await tracing.close();
    await collector.stop();
    expect(collector.spans.map(({ name }) => name)).toEqual(["sql", "request"]);
    const sent = Buffer.concat(collector.requests).toString("latin1");
    for (const text of ["db.system.name", "postgresql", "db.query.text", "SELECT $1 AS value"])
      expect(sent).toContain(text);
    expect(sent).not.toContain("a secret");
  });

  test.each([
    ["bytes of every value", [Buffer.from(Array.from({ length: 256 }, (_, at) => at))]],
    ["several, of different lengths", [Buffer.from("one"), Uint8Array.of(0), Buffer.from("a third")]],
    ["nothing in between, which is not the same as empty", [Buffer.from("one"), null, Buffer.alloc(0)]],
    ["part of a larger buffer", [Buffer.from("abcdef").subarray(2, 4)]],
    ["nothing but nulls", [null, null]],
    ["no values at all", []],
    ["a million bytes", [Buffer.alloc(1_000_000, 7), Buffer.from("after")]],
  ])("sends a bytea[] as it is: %s", async (_, values) => {
    const rows = await db.run<{ value: Buffer | null }>(sql`
      SELECT value FROM unnest(${values}::bytea[]) WITH ORDINALITY AS sent (value, ordinal) ORDER BY ordinal`);
    expect(rows.map(({ value }) => value)).toEqual(values.map((value) => value && Buffer.from(value)));
  });

  test("recognizes only arrays of bytes as such", () => {
    expect(isByteaArray([Buffer.from("a"), null])).toBe(true);
    for (const other of [[], [null], ["a"], [Buffer.from("a"), "a"], Buffer.from("a"), "a", null, 1]) {
      expect(isByteaArray(other)).toBe(false);
    }
  });
});

test("violated names the SQLSTATE and the constraint, and is undefined for anything else", async () => {
  await db.run(sql`INSERT INTO parcels VALUES ('once', 1)`);
  const twice = await db.run(sql`INSERT INTO parcels VALUES ('once', 1)`).catch(violated);
  expect(twice).toEqual({ code: "23505", constraint: "parcels_pkey" });
  const weightless = await db.run(sql`INSERT INTO parcels VALUES ('none', 0)`).catch(violated);
  expect(weightless).toEqual({ code: "23514", constraint: "parcels_grams_positive" });
  expect(await db.run(sql`SELECT nothing`).catch(violated)).toBeUndefined();
  expect(violated(new Error("23505"))).toBeUndefined();
});

test("lists have connections of their own: lists and other statements cannot take each other's", async () => {
  const opened = openDatabase(owned.url, { max: 5, log: silentLog() });
  const { pool, listPool } = opened;
  expect([pool.options.max, listPool.options.max]).toEqual([3, 2]);
  const lists = await Promise.all([listPool.connect(), listPool.connect()]);
  const third = listPool.connect();
  expect(await opened.run(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  const others = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
  lists[0]?.release();
  const list = await third;
  expect((await list.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  for (const client of [list, lists[1], ...others]) client?.release();
  await opened.close();
});

test("the pools are measured: connections in use, and statements that wait for one", async () => {
  const metrics = createMetrics({ part: "test", log: silentLog(), cacheMs: 0 });
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
});
