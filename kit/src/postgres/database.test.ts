import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import sql from "sql-template-tag";
import { createLog, silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { samplesIn } from "../testing/samples.js";
import { type Database, measurePool, openDatabase, violated } from "./database.js";
import { isRefusal } from "./outage.js";

let directory: string;
let owned: TestDatabase;
let db: Database;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations"));
  owned = await testDatabase({ directory });
  db = owned.db;
  await db.run(
    sql`CREATE TABLE parcels (id text PRIMARY KEY, grams bigint CONSTRAINT parcels_grams_positive CHECK (grams > 0), packed_at timestamptz(3))`,
  );
});

afterAll(async () => {
  await owned.drop();
  await rm(directory, { recursive: true });
});

describe("run", () => {
  test("yields rows with bigint as BigInt, timestamptz as Date and bytea as bytes", async () => {
    const packedAt = new Date("2026-01-02T03:04:05.678Z");
    await db.run(sql`INSERT INTO parcels VALUES ('big', ${2n ** 62n}, ${packedAt})`);
    const rows = await db.run(
      sql`SELECT id, grams, packed_at, '\\x00ff'::bytea AS bytes FROM parcels WHERE id = ${"big"}`,
    );
    expect(rows).toEqual([{ id: "big", grams: 2n ** 62n, packed_at: packedAt, bytes: Buffer.from([0, 255]) }]);
  });

  test("prepares a text once per connection, whatever its values", async () => {
    const single = openDatabase(owned.url, { max: 1, log: silentLog() });
    for (const id of ["a", "b"]) await single.run(sql`SELECT id FROM parcels WHERE id = ${id}`);
    const prepared = sql`SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT id FROM%'`;
    const name = expect.stringMatching(/^[\w-]{22}$/);
    expect(await single.run(prepared)).toEqual([{ name, statement: "SELECT id FROM parcels WHERE id = $1" }]);
    await single.runList(sql`SELECT id FROM parcels LIMIT 1`);
    await single.runList(sql`SELECT id FROM parcels LIMIT 2`, { replan: true });
    expect(await single.runList(prepared)).toEqual([{ name, statement: "SELECT id FROM parcels LIMIT 1" }]);
    await single.close();
  });

  test("lets the operating system probe a connection's server after five idle seconds", async () => {
    const setKeepAlive = jest.spyOn(Socket.prototype, "setKeepAlive");
    const other = openDatabase(owned.url, { log: silentLog() });
    await other.run(sql`SELECT 1`);
    await other.runList(sql`SELECT 1`);
    await other.close();
    expect(setKeepAlive.mock.calls).toEqual(Array(2).fill([true, 5_000]));
    setKeepAlive.mockRestore();
  });

  test("finds rows by their index, even if the table was empty when the statement first ran", async () => {
    const single = openDatabase(owned.url, { max: 1, log: silentLog() });
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
    await single.close();
  });

  test("keeps the connection after a statement that PostgreSQL refused", async () => {
    const single = openDatabase(owned.url, { max: 1, log: silentLog() });
    const pid = () => single.run(sql`SELECT pg_backend_pid() AS pid`);
    const before = await pid();
    await expect(single.run(sql`SELECT 1 / 0`)).rejects.toMatchObject({ code: "22012" });
    expect(await pid()).toEqual(before);
    await single.close();
  });

  test("works again after PostgreSQL has ended the connection, idle or busy", async () => {
    const single = openDatabase(owned.url, { max: 1, log: silentLog() });
    const busy = single.run(sql`SELECT pg_sleep(4)`);
    const refused = expect(busy).rejects.toMatchObject({ cause: { code: "57P01" } });
    await eventually(async () => {
      const ended = await db.run(
        sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`,
      );
      expect(ended).toHaveLength(1);
    });
    await refused;
    const [idle] = await single.run<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
    await db.run(sql`SELECT pg_terminate_backend(${idle?.pid})`);
    await eventually(async () => expect(await single.run(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]));
    await single.close();
  });
});

test.each([
  ["records", "records"],
  [undefined, "shipping"],
])(
  "PostgreSQL shows its operators the part %s as %s; a connection that it ends is logged, until the pool is closed",
  async (part, name) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line).msg) };
    const log = part ? createLog({ part, destination }) : silentLog();
    const opened = openDatabase(owned.url, { max: 1, log });
    const [shown] = await opened.run<{ name: string; pid: number }>(
      sql`SELECT current_setting('application_name') AS name, pg_backend_pid() AS pid`,
    );
    expect(shown?.name).toBe(name);
    await db.run(sql`SELECT pg_terminate_backend(${shown?.pid})`);
    await eventually(() => expect(opened.pool.totalCount).toBe(0));
    await opened.close();
    expect(lines).toEqual(part ? ["lost an idle database connection"] : []);
  },
);

describe("openDatabase", () => {
  afterEach(() => jest.useRealTimers());

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

  test("statements share the connections that the server has left, and after ten seconds try to open more", async () => {
    const role = `few_${randomBytes(4).toString("hex")}`;
    const operator = new pg.Client(owned.url);
    await operator.connect();
    await operator.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p' CONNECTION LIMIT 2`);
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
    const url = Object.assign(new URL(owned.url), { username: role, password: "p" }).href;
    const few = openDatabase(url, { max: 6, log: silentLog() });
    const busy = () => Promise.all(Array.from({ length: 20 }, () => few.run(sql`SELECT pg_sleep(0.005)`)));
    await few.run(sql`SELECT 1`);
    await busy();
    expect(few.pool.totalCount).toBe(2);
    await operator.query(`ALTER ROLE ${role} CONNECTION LIMIT 6`);
    jest.advanceTimersByTime(10_000);
    await busy();
    expect(few.pool.totalCount).toBe(4);
    await few.close();
    await operator.query(`DROP ROLE ${role}`);
    await operator.end();
  });

  test("losing a connection that is checked out does not end the process", async () => {
    const client = await db.pool.connect();
    // An error without a listener would be thrown outside of any promise.
    expect(client.listenerCount("error")).toBeGreaterThan(0);
    const [backend] = (await client.query("SELECT pg_backend_pid() AS pid")).rows;
    const ended = new Promise((resolve) => client.once("end", resolve));
    await db.run(sql`SELECT pg_terminate_backend(${backend.pid})`);
    await ended;
    client.release(true);
    expect(await db.run(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  test("limits every statement to five seconds and a forgotten transaction too", async () => {
    const limits = await db.run(
      sql`SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
    );
    expect(limits).toEqual([
      { name: "idle_in_transaction_session_timeout", setting: "5000" },
      { name: "statement_timeout", setting: "5000" },
    ]);
  });

  test("times out if the server does not answer", async () => {
    const deaf = await new Promise<Server>((done) => {
      const server = createServer().listen(0, "127.0.0.1", () => done(server));
    });
    const { port } = deaf.address() as { port: number };
    const unreachable = openDatabase(`postgresql://x:y@127.0.0.1:${port}/z`, { log: silentLog() });
    await expect(unreachable.run(sql`SELECT 1`)).rejects.toThrow(/timeout/);
    await unreachable.close();
    deaf.close();
  });
});

describe("violated", () => {
  test("names the SQLSTATE and the constraint", async () => {
    await db.run(sql`INSERT INTO parcels VALUES ('once', 1)`);
    const twice = await db.run(sql`INSERT INTO parcels VALUES ('once', 1)`).catch(violated);
    expect(twice).toEqual({ code: "23505", constraint: "parcels_pkey" });
    const weightless = await db.run(sql`INSERT INTO parcels VALUES ('none', 0)`).catch(violated);
    expect(weightless).toEqual({ code: "23514", constraint: "parcels_grams_positive" });
  });

  test("is undefined for anything else", async () => {
    expect(await db.run(sql`SELECT nothing`).catch(violated)).toBeUndefined();
    expect(violated(new Error("23505"))).toBeUndefined();
  });
});

test.each([
  ["22021", true],
  ["23505", true],
  ["42622", false],
  ["24000", false],
  [undefined, false],
])("a statement that fails with %s was refused because of its data: %p", (code, expected) => {
  expect(isRefusal(Object.assign(new pg.DatabaseError("refused", 1, "error"), { code }))).toBe(expected);
  expect(isRefusal(Object.assign(new Error("another"), { code }))).toBe(false);
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
