import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { migrationList, NOTHING_EXTERNAL, withSchemaEngine } from "../testing/schema-engine.js";
import { migrate, unappliedMigrations } from "./migrate.js";

const FUNCTION =
  "CREATE FUNCTION double(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END; $$;\n";

let directory: string;
let empty: TestDatabase;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations"));
  empty = await testDatabase({ directory });
  await writeMigration("1_things", "-- Größe in cm\nCREATE TABLE things (id text PRIMARY KEY);\n");
});
afterEach(async () => {
  await empty.drop();
  await rm(directory, { recursive: true });
});

async function writeMigration(name: string, script: string): Promise<void> {
  await mkdir(join(directory, "migrations", name), { recursive: true });
  await writeFile(join(directory, "migrations", name, "migration.sql"), script);
}

/** Returns the findings of Prisma's CLI in the history, and the migrations that it would apply. */
async function prismaFinds() {
  const migrationsList = await migrationList(directory);
  const asked = { migrationsList, filters: NOTHING_EXTERNAL };
  return withSchemaEngine(empty.url, async (engine) => ({
    diagnosis: await engine.diagnoseMigrationHistory({ ...asked, optInToShadowDatabase: false }),
    applied: (await engine.applyMigrations(asked)).appliedMigrationNames,
  }));
}

const NOTHING_TO_DO = {
  diagnosis: { editedMigrationNames: [], failedMigrationNames: [], hasMigrationsTable: true, history: null },
  applied: [],
};

const rows = () => empty.db.run(sql`SELECT * FROM _prisma_migrations ORDER BY migration_name`);
const table = () =>
  empty.db.run(sql`
    SELECT attname, format_type(atttypid, atttypmod) AS type, attnotnull, pg_get_expr(adbin, adrelid) AS default
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0
    UNION ALL
    SELECT conname, pg_get_constraintdef(oid), NULL, NULL FROM pg_constraint WHERE conrelid = '_prisma_migrations'::regclass`);

/** Returns the columns of a row that must not depend on the tool that migrated. */
const lasting = (row: object) => ({
  ...row,
  id: expect.any(String),
  started_at: expect.any(Date),
  finished_at: expect.any(Date),
});

describe("the history of migrations", () => {
  test("after ours, Prisma's schema engine finds no missing, edited or failed migration", async () => {
    await writeMigration("2_double", FUNCTION);
    await migrate({ url: empty.url, directory });
    expect(await prismaFinds()).toEqual(NOTHING_TO_DO);
  });

  test("after Prisma's schema engine, ours finds no missing, edited or failed migration", async () => {
    expect((await prismaFinds()).applied).toEqual(["1_things"]);
    const before = await rows();
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: [], edited: [] });
    expect(await unappliedMigrations(empty.db, directory)).toEqual([]);
    expect(await rows()).toEqual(before);
  });

  test("table and rows are the same as Prisma's", async () => {
    await prismaFinds();
    const theirs = { table: await table(), rows: await rows() };
    await empty.db.run(sql`DROP TABLE things, _prisma_migrations`);
    await migrate({ url: empty.url, directory });
    expect({ table: await table(), rows: await rows() }).toEqual({
      ...theirs,
      rows: theirs.rows.map((row) => lasting(row as object)),
    });
    const [{ id, started_at, finished_at }] = (await rows()) as [{ id: string; started_at: Date; finished_at: Date }];
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(finished_at.getTime()).toBeGreaterThanOrEqual(started_at.getTime());
  });

  test("each continues where the other has stopped", async () => {
    await migrate({ url: empty.url, directory });
    await writeMigration("2_more", "CREATE TABLE more (id text PRIMARY KEY);\n");
    expect((await prismaFinds()).applied).toEqual(["2_more"]);
    await writeMigration("3_double", FUNCTION);
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: ["3_double"], edited: [] });
    expect(await prismaFinds()).toEqual(NOTHING_TO_DO);
  });

  test("an edited migration is edited for both, and applied again by neither", async () => {
    await migrate({ url: empty.url, directory });
    await writeMigration("1_things", "CREATE TABLE others (id text PRIMARY KEY);\n");
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: [], edited: ["1_things"] });
    expect(await prismaFinds()).toMatchObject({ diagnosis: { editedMigrationNames: ["1_things"] }, applied: [] });
  });

  test("after a migration has failed with ours, Prisma's schema engine applies it once it is fixed", async () => {
    await writeMigration("2_broken", "SELECT 1 / 0;\n");
    await expect(migrate({ url: empty.url, directory })).rejects.toThrow("Migration 2_broken failed: division by zero");
    await writeMigration("2_broken", "SELECT 1 / 1;\n");
    expect((await prismaFinds()).applied).toEqual(["2_broken"]);
  });

  test("after a migration has failed with Prisma's, ours applies it once it is fixed, and Prisma's schema engine reports no problem", async () => {
    await writeMigration("2_broken", "SELECT 1 / 0;\n");
    await expect(prismaFinds()).rejects.toThrow("division by zero");
    await writeMigration("2_broken", "SELECT 1 / 1;\n");
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: ["2_broken"], edited: [] });
    expect(await prismaFinds()).toEqual(NOTHING_TO_DO);
  });
});
