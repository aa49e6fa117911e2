import { rm } from "node:fs/promises";
import { join } from "node:path";
import sql from "sql-template-tag";
import { createLog } from "../process/log.js";
import { openTransaction } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { type MigrationsFolder, migrationsFolder } from "../testing/migrations-folder.js";
import { migrate, unappliedMigrations } from "./migrate.js";

const THINGS = `
CREATE UNLOGGED TABLE things (id text COLLATE "C" PRIMARY KEY, size integer NOT NULL CHECK (size > 0));
CREATE INDEX things_small ON things (id) WHERE size < 10;
CREATE FUNCTION double(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END; $$;`;

let folder: MigrationsFolder;
beforeEach(async () => {
  folder = await migrationsFolder();
  await folder.add("1_things", THINGS);
});
afterEach(() => folder.drop());

const unapplied = () => unappliedMigrations(folder.db, folder.directory);
const isThere = async (table: string) => {
  const [row] = await folder.db.run<{ there: boolean }>(sql`SELECT to_regclass(${table}) IS NOT NULL AS there`);
  return row?.there;
};

describe("migrate", () => {
  test("applies missing migrations in order, with everything that Prisma's schema cannot express, once", async () => {
    await folder.add("2_more", "ALTER TABLE things ADD COLUMN colour text;");
    expect(await migrate(folder)).toEqual({ applied: ["1_things", "2_more"], edited: [] });
    expect(await folder.db.run(sql`SELECT double(21) AS answer`)).toEqual([{ answer: 42 }]);
    const shape = sql`SELECT relname, relpersistence FROM pg_class WHERE relname IN ('things', 'things_small') ORDER BY relname`;
    expect(await folder.db.run(shape)).toEqual([
      { relname: "things", relpersistence: "u" },
      { relname: "things_small", relpersistence: "u" },
    ]);
    expect(await migrate(folder)).toEqual({ applied: [], edited: [] });
  });

  test("applies each migration once when several replicas start together", async () => {
    await folder.add("2_more", "ALTER TABLE things ADD COLUMN colour text;");
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => migrate(folder)));
    expect(outcomes.flatMap(({ applied }) => applied)).toEqual(["1_things", "2_more"]);
  });

  test("waits for another process that migrates, including Prisma's CLI", async () => {
    const other = await folder.db.pool.connect();
    // This is Prisma's lock, as its schema engine takes it.
    await other.query("SELECT pg_advisory_lock(72707369)");
    const lines: string[] = [];
    const log = createLog({ part: "test", destination: { write: (line: string) => void lines.push(line) } });
    const migrating = migrate({ ...folder, log });
    await eventually(() => expect(lines.join("")).toContain("another migration is under way"));
    expect(await unapplied()).toEqual(["1_things"]);
    other.release(true);
    expect(await migrating).toMatchObject({ applied: ["1_things"] });
  });

  test("a migration that fails is named with PostgreSQL's message, leaves no change, and runs again once it is fixed", async () => {
    await folder.add("2_broken", "CREATE TABLE halves (id text); SELECT 1 / 0;");
    const failing = migrate(folder);
    await expect(failing).rejects.toThrow("Migration 2_broken failed: division by zero");
    expect(await unapplied()).toEqual(["2_broken"]);
    expect(await isThere("halves")).toBe(false);
    await folder.add("2_broken", "CREATE TABLE halves (id text);");
    expect(await migrate(folder)).toMatchObject({ applied: ["2_broken"] });
  });

  test("a migration that is interrupted leaves no change, and the next run applies it", async () => {
    await migrate(folder);
    await folder.add("2_slow", "CREATE TABLE halves (id text); LOCK TABLE things; CREATE TABLE wholes (id text);");
    const other = await openTransaction(folder.db);
    await other.query("LOCK TABLE things");
    const cut = expect(migrate(folder)).rejects.toThrow("Migration 2_slow failed");
    const blocked = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE things; CREATE%'`;
    await eventually(async () => expect(await folder.db.run(blocked)).toHaveLength(1));
    await cut;
    other.release(true);
    expect(await isThere("halves")).toBe(false);
    expect(await unapplied()).toEqual(["2_slow"]);
    expect(await migrate(folder)).toEqual({ applied: ["2_slow"], edited: [] });
    expect(await isThere("wholes")).toBe(true);
  });

  test("a database of another program is left alone", async () => {
    await folder.db.run(sql`DROP TABLE _prisma_migrations`);
    await folder.db.run(sql`CREATE TABLE theirs (id text)`);
    await expect(migrate(folder)).rejects.toThrow("it belongs to another application");
    expect(await unapplied()).toEqual(["1_things"]);
  });

  test.each([
    [["0_init"], "0_init"],
    [["0_init", "0_more", "1_other"], "0_init and 2 more"],
  ])("a database whose history has other names is left alone: %j", async (others, named) => {
    await folder.db.run(sql`
      INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      SELECT name, '', name, CASE WHEN name <> '2_unfinished' THEN now() END
      FROM unnest(${[...others, "2_unfinished"]}::text[]) AS name`);
    const history = sql`SELECT * FROM _prisma_migrations ORDER BY migration_name`;
    const before = await folder.db.run(history);
    await expect(migrate(folder)).rejects.toThrow(
      `The database has migrations that this release does not have (${named}), so it cannot be upgraded. Delete DATA_DIR, or use an empty database.`,
    );
    expect(await folder.db.run(history)).toEqual(before);
    expect(await isThere("things")).toBe(false);
  });

  test("a database with newer migrations is left alone", async () => {
    await folder.add("2_newer", "ALTER TABLE things ADD COLUMN colour text;");
    await migrate(folder);
    await rm(join(folder.directory, "migrations", "2_newer"), { recursive: true });
    expect(await migrate(folder)).toEqual({ applied: [], edited: [] });
    expect(await unapplied()).toEqual([]);
  });
});

test("unappliedMigrations lists those that were never begun, not finished or rolled back", async () => {
  expect(await unapplied()).toEqual(["1_things"]);
  await folder.add("2_more", "SELECT 1;");
  await migrate(folder);
  await folder.add("3_last", "SELECT 1;");
  expect(await unapplied()).toEqual(["3_last"]);
  await folder.db.run(sql`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '1_things'`);
  await folder.db.run(sql`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_more'`);
  expect(await unapplied()).toEqual(["1_things", "2_more", "3_last"]);
});
