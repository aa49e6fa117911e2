import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { silentLog } from "../process/log.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { openDatabase } from "./database.js";
import { migrate } from "./migrate.js";
import { MigrationClient, requireSession } from "./session.js";

const directory = join(import.meta.dirname, "../testing/fixtures/prisma");
let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase({ directory });
});
afterEach(() => database.drop());

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Opens the database again after its owner has changed the defaults of its sessions. */
async function reopened(defaults: Record<string, string>) {
  for (const [setting, value] of Object.entries(defaults)) {
    await database.db.pool.query(`ALTER DATABASE ${nameOf(database.url)} SET ${setting} = '${value}'`);
  }
  return openDatabase(`${database.url}?options=-c%20array_nulls%3Doff`, { log: silentLog() });
}

const OTHERS = {
  DateStyle: "German",
  TimeZone: "Asia/Kathmandu",
  IntervalStyle: "iso_8601",
  array_nulls: "off",
  bytea_output: "escape",
  extra_float_digits: "-3",
  default_transaction_isolation: "serializable",
  synchronous_commit: "off",
  statement_timeout: "1h",
  idle_in_transaction_session_timeout: "1h",
  enable_seqscan: "on",
};

test("a session has the settings that results depend on, whatever the defaults of the database are", async () => {
  const db = await reopened(OTHERS);
  await requireSession(db.pool);
  const at = new Date("2026-02-01T18:30:00.123Z");
  const rows = await db.run(sql`
    SELECT ${at}::timestamptz AS at, date_trunc('hour', ${at}::timestamptz) AS hour, ${["a", null]}::text[] AS words,
      '\\x00ff'::bytea AS bytes, 0.1::float8 + 0.2::float8 AS sum, interval '-1 day 2 hours'::text AS span,
      current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS waits,
      current_setting('statement_timeout') AS most, current_setting('idle_in_transaction_session_timeout') AS idle`);
  const results = { at, hour: new Date("2026-02-01T18:00:00Z"), words: ["a", null], bytes: Buffer.from([0, 255]) };
  const texts = { sum: 0.30000000000000004, span: "-1 days +02:00:00", isolation: "read committed", waits: "on" };
  expect(rows).toEqual([{ ...results, ...texts, most: "5s", idle: "5s" }]);
  await db.close();
});

test("a search_path without the tables is named", async () => {
  const db = await reopened({ search_path: "elsewhere" });
  await expect(requireSession(db.pool)).rejects.toThrow(
    "The tables are in schema public, but the search_path of role postgres (elsewhere) leads to no schema.",
  );
  await db.close();
});

test("a database that cannot store every letter is neither used nor migrated", async () => {
  const reason =
    "The database has the encoding LATIN1. Create it with TEMPLATE template0 ENCODING 'UTF8': the encoding of a database cannot be changed.";
  const latin = `${nameOf(database.url)}_latin`;
  await database.db.pool.query(`CREATE DATABASE ${latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  const url = Object.assign(new URL(database.url), { pathname: `/${latin}` }).href;
  const db = openDatabase(url, { log: silentLog() });
  await expect(requireSession(db.pool)).rejects.toThrow(reason);
  await db.close();
  await expect(migrate({ url, directory })).rejects.toThrow(reason);
  await database.db.pool.query(`DROP DATABASE ${latin}`);
});

test("each connection reads its URL from the file again, so a new password needs no restart; while the file is away or its URL invalid, the one before holds", async () => {
  const role = `rotated_${nameOf(database.url)}`;
  const folder = await mkdtemp(join(tmpdir(), "url-"));
  const urlFile = join(folder, "url");
  const write = (password: string) =>
    writeFile(urlFile, Object.assign(new URL(database.url), { username: role, password }).href);
  const query = (text: string) => database.db.pool.query(text);
  await query(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`);
  await write("first");
  const db = openDatabase("postgresql://127.0.0.1:1/d", { urlFile, log: silentLog() });
  const pid = async () => (await db.run<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))[0]!.pid;
  const before = await pid();
  await query(`ALTER ROLE ${role} PASSWORD 'second'`);
  await write("second");
  await query(`SELECT pg_terminate_backend(${before})`);
  await eventually(async () => expect(await pid()).not.toBe(before));
  const misspelt = () => writeFile(urlFile, "postgresql://127.0.0.1:1/d?ssl_mode=verify-full");
  for (const change of [() => rm(urlFile), misspelt]) {
    await change();
    const then = await pid();
    await query(`SELECT pg_terminate_backend(${then})`);
    await eventually(async () => expect(await pid()).not.toBe(then));
  }
  await db.close();
  await query(`DROP ROLE ${role}`);
  await rm(folder, { recursive: true });
});

test("a file with the URL that was never there is named", async () => {
  const db = openDatabase("postgresql://127.0.0.1:1/d", { urlFile: "/nowhere/url", log: silentLog() });
  await expect(db.run(sql`SELECT 1`)).rejects.toThrow("/nowhere/url");
  await db.close();
});

test("a migration has no time limit and plans as PostgreSQL does, whatever the role has", async () => {
  const name = nameOf(database.url);
  const others = ["statement_timeout = '1ms'", "enable_seqscan = off", "default_transaction_isolation = serializable"];
  for (const setting of others) await database.db.pool.query(`ALTER DATABASE ${name} SET ${setting}`);
  const client = new MigrationClient({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(`
    SELECT current_setting('statement_timeout') AS timeout, current_setting('enable_seqscan') AS seqscan,
      current_setting('transaction_isolation') AS isolation`);
  expect(rows).toEqual([{ timeout: "0", seqscan: "on", isolation: "read committed" }]);
  await client.end();
});
