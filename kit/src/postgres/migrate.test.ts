import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { createLog } from "../process/log.js";
import { openTransaction, type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { migrate, unappliedMigrations } from "./migrate.js";

const THINGS = `
CREATE TABLE things (id text COLLATE "C" NOT NULL, size integer NOT NULL CHECK (size > 0), made_at timestamptz(3) NOT NULL,
  CONSTRAINT things_pkey PRIMARY KEY (id));
CREATE UNLOGGED TABLE counters (id text NOT NULL, CONSTRAINT counters_pkey PRIMARY KEY (id));
CREATE INDEX things_small ON things (made_at) WHERE size < 10;
CREATE FUNCTION double(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END; $$;`;

let directory: string;
let empty: TestDatabase;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations"));
  empty = await testDatabase({ directory });
  await addMigration("1_things", THINGS);
});

afterEach(async () => {
  await empty.drop();
  await rm(directory, { recursive: true });
});

/** Returns the folder as it was with only the first migration. */
async function onlyFirst(): Promise<string> {
  const before = join(directory, "before");
  await mkdir(join(before, "migrations"), { recursive: true });
  await cp(join(directory, "migrations", "1_things"), join(before, "migrations", "1_things"), { recursive: true });
  return before;
}

async function addMigration(name: string, script: string): Promise<void> {
  await mkdir(join(directory, "migrations", name), { recursive: true });
  await writeFile(join(directory, "migrations", name, "migration.sql"), script);
}

describe("migrate", () => {
  test("applies missing migrations in order, with everything that Prisma's schema cannot express", async () => {
    await addMigration("2_more", "ALTER TABLE things ADD COLUMN colour text;");
    expect(await migrate({ url: empty.url, directory })).toMatchObject({ applied: ["1_things", "2_more"] });
    expect(await empty.db.run(sql`SELECT double(21) AS answer`)).toEqual([{ answer: 42 }]);
    const shape = sql`SELECT relname, relpersistence FROM pg_class WHERE relname IN ('counters', 'things_small') ORDER BY relname`;
    expect(await empty.db.run(shape)).toEqual([
      { relname: "counters", relpersistence: "u" },
      { relname: "things_small", relpersistence: "p" },
    ]);
  });

  test("has no effect the second time", async () => {
    await migrate({ url: empty.url, directory });
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: [], edited: [] });
  });

  test("applies each migration once when several replicas start together", async () => {
    await addMigration("2_more", "ALTER TABLE things ADD COLUMN colour text;");
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => migrate({ url: empty.url, directory })));
    expect(outcomes.flatMap(({ applied }) => applied)).toEqual(["1_things", "2_more"]);
  });

  test("waits for another process that migrates, including Prisma's CLI", async () => {
    const other = await empty.db.pool.connect();
    // This is Prisma's lock, as its schema engine takes it.
    await other.query("SELECT pg_advisory_lock(72707369)");
    const lines: string[] = [];
    const log = createLog({ part: "test", destination: { write: (line: string) => void lines.push(line) } });
    const migrating = migrate({ url: empty.url, directory, log });
    await eventually(() => expect(lines.join("")).toContain("another migration is under way"));
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["1_things"]);
    other.release(true);
    expect(await migrating).toMatchObject({ applied: ["1_things"] });
  });

  test("a migration that fails is named with PostgreSQL's message, leaves no change, and runs again once it is fixed", async () => {
    await addMigration("2_broken", "CREATE TABLE halves (id text); SELECT 1 / 0;");
    const failing = migrate({ url: empty.url, directory });
    await expect(failing).rejects.toThrow("Migration 2_broken failed: division by zero");
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["2_broken"]);
    expect(await empty.db.run(sql`SELECT to_regclass('halves') IS NULL AS gone`)).toEqual([{ gone: true }]);
    await addMigration("2_broken", "CREATE TABLE halves (id text);");
    expect(await migrate({ url: empty.url, directory })).toMatchObject({ applied: ["2_broken"] });
  });

  test("a migration that is interrupted leaves no change, and the next run applies it", async () => {
    await addMigration("2_slow", "CREATE TABLE halves (id text); LOCK TABLE things; CREATE TABLE wholes (id text);");
    await migrate({ url: empty.url, directory: await onlyFirst() });
    const other = await openTransaction(empty.db);
    await other.query("LOCK TABLE things");
    const cut = expect(migrate({ url: empty.url, directory })).rejects.toThrow("Migration 2_slow failed");
    const blocked = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE things; CREATE%'`;
    await eventually(async () => expect(await empty.db.run(blocked)).toHaveLength(1));
    await cut;
    other.release(true);
    expect(await empty.db.run(sql`SELECT to_regclass('halves') IS NULL AS gone`)).toEqual([{ gone: true }]);
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["2_slow"]);
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: ["2_slow"], edited: [] });
    expect(await empty.db.run(sql`SELECT to_regclass('wholes') IS NULL AS gone`)).toEqual([{ gone: false }]);
  });

  test("a migration that was edited after it was applied is reported, and the database left as it is", async () => {
    await migrate({ url: empty.url, directory });
    await addMigration("1_things", "CREATE TABLE others (id text);");
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: [], edited: ["1_things"] });
    expect(await empty.db.run(sql`SELECT to_regclass('others') IS NULL AS gone`)).toEqual([{ gone: true }]);
  });

  test("a database of another program is left alone", async () => {
    await empty.db.run(sql`DROP TABLE _prisma_migrations`);
    await empty.db.run(sql`CREATE TABLE theirs (id text)`);
    await expect(migrate({ url: empty.url, directory })).rejects.toThrow("it belongs to another application");
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["1_things"]);
  });

  test.each([
    [["0_init"], "0_init"],
    [["0_init", "0_more", "1_other"], "0_init and 2 more"],
  ])("a database whose history has other names is left alone: %j", async (others, named) => {
    await empty.db.run(sql`
      INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      SELECT name, '', name, CASE WHEN name <> '2_unfinished' THEN now() END
      FROM unnest(${[...others, "2_unfinished"]}::text[]) AS name`);
    const history = sql`SELECT * FROM _prisma_migrations ORDER BY migration_name`;
    const before = await empty.db.run(history);
    await expect(migrate({ url: empty.url, directory })).rejects.toThrow(
      `The database has migrations that this release does not have (${named}), so it cannot be upgraded. Delete DATA_DIR, or use an empty database.`,
    );
    expect(await empty.db.run(history)).toEqual(before);
    expect(await empty.db.run(sql`SELECT to_regclass('things') IS NULL AS untouched`)).toEqual([{ untouched: true }]);
  });

  test("a database with newer migrations is left alone", async () => {
    await addMigration("2_newer", "ALTER TABLE things ADD COLUMN colour text;");
    await migrate({ url: empty.url, directory });
    await rm(join(directory, "migrations", "2_newer"), { recursive: true });
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: [], edited: [] });
    expect(await unappliedMigrations(empty.db, directory)).toEqual([]);
  });
});

describe("unappliedMigrations", () => {
  test("lists all before the first run, then those added since", async () => {
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["1_things"]);
    await migrate({ url: empty.url, directory });
    await addMigration("2_more", "SELECT 1;");
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["2_more"]);
  });

  test("lists those that were begun and not finished, or rolled back", async () => {
    await addMigration("2_more", "SELECT 1;");
    await migrate({ url: empty.url, directory });
    await empty.db.run(sql`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '1_things'`);
    await empty.db.run(sql`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_more'`);
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["1_things", "2_more"]);
  });
});
