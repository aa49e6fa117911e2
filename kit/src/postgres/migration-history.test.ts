import sql from "sql-template-tag";
import { type MigrationsFolder, migrationsFolder } from "../testing/migrations-folder.js";
import { migrationList, NOTHING_EXTERNAL, withSchemaEngine } from "../testing/schema-engine.js";
import { migrate } from "./migrate.js";

const FUNCTION =
  "CREATE FUNCTION double(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END; $$;\n";

let folder: MigrationsFolder;
beforeEach(async () => {
  folder = await migrationsFolder();
  await folder.add("1_things", "-- Größe in cm\nCREATE TABLE things (id text PRIMARY KEY);\n");
});
afterEach(() => folder.drop());

/** Returns the findings of Prisma's CLI in the history, and the migrations that it would apply. */
async function prismaFinds() {
  const migrationsList = await migrationList(folder.directory);
  const asked = { migrationsList, filters: NOTHING_EXTERNAL };
  return withSchemaEngine(folder.url, async (engine) => ({
    diagnosis: await engine.diagnoseMigrationHistory({ ...asked, optInToShadowDatabase: false }),
    applied: (await engine.applyMigrations(asked)).appliedMigrationNames,
  }));
}

const NOTHING_TO_DO = {
  diagnosis: { editedMigrationNames: [], failedMigrationNames: [], hasMigrationsTable: true, history: null },
  applied: [],
};

const rows = () => folder.db.run(sql`SELECT * FROM _prisma_migrations ORDER BY migration_name`);
const table = () =>
  folder.db.run(sql`
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
  test("table and rows are the same as Prisma's", async () => {
    expect((await prismaFinds()).applied).toEqual(["1_things"]);
    const theirs = { table: await table(), rows: await rows() };
    expect(await migrate(folder)).toEqual({ applied: [], edited: [] });
    expect(await rows()).toEqual(theirs.rows);
    await folder.db.run(sql`DROP TABLE things, _prisma_migrations`);
    await migrate(folder);
    expect({ table: await table(), rows: await rows() }).toEqual({
      ...theirs,
      rows: theirs.rows.map((row) => lasting(row as object)),
    });
    const [{ id, started_at, finished_at }] = (await rows()) as [{ id: string; started_at: Date; finished_at: Date }];
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(finished_at.getTime()).toBeGreaterThanOrEqual(started_at.getTime());
  });

  test("each continues where the other has stopped", async () => {
    await migrate(folder);
    await folder.add("2_more", "CREATE TABLE more (id text PRIMARY KEY);\n");
    expect((await prismaFinds()).applied).toEqual(["2_more"]);
    await folder.add("3_double", FUNCTION);
    expect(await migrate(folder)).toEqual({ applied: ["3_double"], edited: [] });
    expect(await prismaFinds()).toEqual(NOTHING_TO_DO);
  });

  test("an edited migration is edited for both, and applied again by neither", async () => {
    await migrate(folder);
    await folder.add("1_things", "CREATE TABLE others (id text PRIMARY KEY);\n");
    expect(await migrate(folder)).toEqual({ applied: [], edited: ["1_things"] });
    expect(await prismaFinds()).toMatchObject({ diagnosis: { editedMigrationNames: ["1_things"] }, applied: [] });
  });

  test("after a migration has failed with one, the other applies it once it is fixed, and neither finds a problem", async () => {
    await folder.add("2_broken", "SELECT 1 / 0;\n");
    await expect(migrate(folder)).rejects.toThrow("Migration 2_broken failed: division by zero");
    await folder.add("2_broken", "SELECT 1 / 1;\n");
    expect((await prismaFinds()).applied).toEqual(["2_broken"]);
    await folder.add("3_broken", "SELECT 1 / 0;\n");
    await expect(prismaFinds()).rejects.toThrow("division by zero");
    await folder.add("3_broken", "SELECT 1 / 1;\n");
    expect(await migrate(folder)).toEqual({ applied: ["3_broken"], edited: [] });
    expect(await prismaFinds()).toEqual(NOTHING_TO_DO);
  });
});
