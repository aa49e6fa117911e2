import { randomBytes } from "node:crypto";
import { openDatabase } from "@shipping/kit/postgres/database";
import { migrate } from "@shipping/kit/postgres/migrate";
import { requireSession } from "@shipping/kit/postgres/session";
import { createLog, silentLog } from "@shipping/kit/process/log";
import { RELEASE } from "@shipping/kit/release";
import { eventually } from "@shipping/kit/testing/eventually";
import { createDatabases } from "@shipping/local/databases/prepare-databases";
import { migrationFolders } from "@shipping/local/parts";
import { storedOrders } from "@shipping/records/testing/stored-records";
import sql from "sql-template-tag";
import { withServer } from "../failover/postgres/replication.js";
import { type PgBouncer, startPgBouncer } from "./pgbouncer.js";

const PASSWORD = "a password of a test";
const server = new URL(process.env.TEST_DATABASE_URL ?? "");
let role: string;
let direct: string;
let bouncer: PgBouncer;

async function start(settings: Record<string, string> = {}): Promise<string> {
  const users = { [role]: PASSWORD, [`v-${role}-Xy`]: PASSWORD };
  bouncer = await startPgBouncer({ postgresPort: Number(server.port), users, settings });
  return Object.assign(new URL(direct), { port: bouncer.port }).href;
}

const asServer = (...statements: string[]) =>
  withServer(server.href, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

beforeEach(async () => {
  role = `records_${randomBytes(4).toString("hex")}`;
  const urls = await createDatabases({ url: server.href, passwords: { [role]: PASSWORD } });
  direct = urls[role]!;
});
afterEach(async () => {
  await bouncer.stop();
  await asServer(`DROP DATABASE ${role} WITH (FORCE)`, `DROP ROLE ${role}`);
});

const readSettings = sql`
  SELECT name, current_setting(name) AS value
  FROM unnest(ARRAY['plan_cache_mode', 'enable_seqscan', 'statement_timeout', 'array_nulls', 'DateStyle', 'TimeZone']) AS name`;
const WANTED = ["force_generic_plan", "off", "5s", "on", "ISO, MDY", "UTC"];

describe.each([
  ["as Debian ships it", {}],
  ["that ignores what it cannot pass on", { ignore_startup_parameters: "options,extra_float_digits" }],
])("PgBouncer in transaction mode, %s", (_how, settings) => {
  test("gives a part sessions with its settings, whatever those of the database are, once it has stored them for its role", async () => {
    await asServer(
      `ALTER DATABASE ${role} SET DateStyle = 'German'`,
      `ALTER DATABASE ${role} SET array_nulls = off`,
      `ALTER DATABASE ${role} SET TimeZone = 'Asia/Kathmandu'`,
    );
    const url = await start(settings);
    const db = openDatabase(url, { log: createLog({ part: role, destination: { write: () => {} } }) });
    // Several sessions exist already, like those of replicas that wait for the migration.
    await Promise.all(Array.from({ length: 4 }, () => db.pool.query("SELECT pg_sleep(0.1)")));
    await eventually(() => requireSession(db.pool, { store: true }));
    const asked = await Promise.all(Array.from({ length: 50 }, () => db.run<{ value: string }>(readSettings)));
    for (const rows of asked) expect(rows.map(({ value }) => value)).toEqual(WANTED);
    // A migration sees the releases that are in use, although it does not come through the pooler.
    const name = sql`SELECT application_name AS name FROM pg_stat_activity WHERE pid = pg_backend_pid()`;
    expect(await db.run(name)).toEqual([{ name: `${role} ${RELEASE}` }]);
    expect(await db.run(sql`SELECT ${["a", null]}::text[] AS words`)).toEqual([{ words: ["a", null] }]);
    await db.close();
  });

  test("is refused by a migration, with a sentence", async () => {
    const url = await start(settings);
    const reason = /through a connection pooler.* set MIGRATION_DATABASE_URL/;
    await expect(migrate({ url, directory: migrationFolders.records })).rejects.toThrow(reason);
    expect((await migrate({ url: direct, directory: migrationFolders.records })).applied.length).toBeGreaterThan(0);
  });
});

test.each([
  ["that acts as the first one", true],
  ["that is only a member of the first one, as Vault's usual statement makes it", false],
])("a second role logs in %s: its sessions have the settings, and the first one's keep theirs", async (_how, acts) => {
  const second = `v-${role}-Xy`;
  await asServer(
    `CREATE ROLE "${second}" LOGIN PASSWORD '${PASSWORD}' VALID UNTIL 'tomorrow' IN ROLE ${role}`,
    ...(acts ? [`ALTER ROLE "${second}" SET role TO ${role}`] : []),
  );
  await migrate({ url: direct, directory: migrationFolders.records });
  const url = await start();
  for (const username of [role, second]) {
    const db = openDatabase(Object.assign(new URL(url), { username }).href, { log: silentLog() });
    await Promise.all(Array.from({ length: 4 }, () => db.pool.query("SELECT pg_sleep(0.1)")));
    await eventually(() => requireSession(db.pool, { store: true }));
    const asked = await Promise.all(Array.from({ length: 50 }, () => db.run<{ value: string }>(readSettings)));
    for (const rows of asked) expect(rows.map(({ value }) => value)).toEqual(WANTED);
    expect(await db.run(sql`SELECT session_user AS login, current_user AS acting`)).toEqual([
      { login: username, acting: acts ? role : username },
    ]);
    expect(await storedOrders(db)).toEqual([]);
    await db.close();
  }
  await asServer(`DROP OWNED BY "${second}"`, `DROP ROLE "${second}"`);
});

test("in session mode, statements share the sessions of a pool that is smaller than the part's, and a process without one says why", async () => {
  const url = await start({ pool_mode: "session", default_pool_size: "2" });
  const db = openDatabase(url, { max: 6, log: silentLog() });
  await eventually(() => requireSession(db.pool, { store: true }));
  const busy = Promise.all(Array.from({ length: 20 }, () => db.run(sql`SELECT pg_sleep(0.01)`)));
  expect(await busy).toHaveLength(20);
  const other = openDatabase(url, { log: silentLog() });
  await expect(other.run(sql`SELECT 1`)).rejects.toThrow(/the sessions of the pooler's pool are all in use/);
  await other.close();
  await db.close();
});

test("a part goes on when PgBouncer was killed", async () => {
  const db = openDatabase(await start(), { log: silentLog() });
  await db.run(sql`SELECT 1`);
  bouncer.kill();
  await bouncer.exited;
  await expect(db.run(sql`SELECT 1`)).rejects.toThrow();
  bouncer = await bouncer.startAgain();
  await eventually(async () => expect(await db.run(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]));
  await db.close();
});
