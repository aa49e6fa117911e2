import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { migrate, migrationDrift, unappliedMigrations } from "./migrate.js";
import { type TestDatabase, testDatabase } from "./testing/database.js";

const THINGS = `
CREATE TABLE things (id text COLLATE "C" NOT NULL, size integer NOT NULL CHECK (size > 0), made_at timestamptz(3) NOT NULL,
  CONSTRAINT things_pkey PRIMARY KEY (id));
CREATE UNLOGGED TABLE counters (id text NOT NULL, CONSTRAINT counters_pkey PRIMARY KEY (id));
CREATE INDEX things_small ON things (made_at) WHERE size < 10;
CREATE FUNCTION double(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END; $$;`;

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "../src/gen/prisma"
}
datasource db {
  provider = "postgresql"
}
model Thing {
  id     String   @id
  size   Int
  madeAt DateTime @map("made_at") @db.Timestamptz(3)
  @@map("things")
}
model Counter {
  id String @id
  @@map("counters")
}`;

let directory: string;
let empty: TestDatabase;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations"));
  await writeFile(join(directory, "schema.prisma"), SCHEMA);
  empty = await testDatabase({ directory });
  await addMigration("1_things", THINGS);
});

afterEach(async () => {
  await empty.drop();
  await rm(directory, { recursive: true });
});

async function addMigration(name: string, script: string): Promise<void> {
  await mkdir(join(directory, "migrations", name), { recursive: true });
  await writeFile(join(directory, "migrations", name, "migration.sql"), script);
}

describe("migrate", () => {
  test("applies what is missing, in order, with everything that Prisma's schema cannot say", async () => {
    await addMigration("2_more", "ALTER TABLE things ADD COLUMN colour text;");
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: ["1_things", "2_more"] });
    expect(await empty.db.run(sql`SELECT double(21) AS answer`)).toEqual([{ answer: 42 }]);
    const shape = sql`SELECT relname, relpersistence FROM pg_class WHERE relname IN ('counters', 'things_small') ORDER BY relname`;
    expect(await empty.db.run(shape)).toEqual([
      { relname: "counters", relpersistence: "u" },
      { relname: "things_small", relpersistence: "p" },
    ]);
  });

  test("does nothing the second time", async () => {
    await migrate({ url: empty.url, directory });
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: [] });
  });

  test("applies each migration once when several replicas start together", async () => {
    const outcomes = await Promise.all([1, 2, 3].map(() => migrate({ url: empty.url, directory })));
    expect(outcomes.flatMap(({ applied }) => applied)).toEqual(["1_things"]);
  });

  test("a migration that fails is named with PostgreSQL's message, leaves nothing, and runs again once it is mended", async () => {
    await addMigration("2_broken", "CREATE TABLE halves (id text); SELECT 1 / 0;");
    const failing = migrate({ url: empty.url, directory });
    await expect(failing).rejects.toThrow("Migration 2_broken failed: division by zero");
    expect(await unappliedMigrations(empty.db, directory)).toEqual(["2_broken"]);
    expect(await empty.db.run(sql`SELECT to_regclass('halves') IS NULL AS gone`)).toEqual([{ gone: true }]);
    await addMigration("2_broken", "CREATE TABLE halves (id text);");
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: ["2_broken"] });
  });

  test("a database with newer migrations is left alone", async () => {
    await addMigration("2_newer", "ALTER TABLE things ADD COLUMN colour text;");
    await migrate({ url: empty.url, directory });
    await rm(join(directory, "migrations", "2_newer"), { recursive: true });
    expect(await migrate({ url: empty.url, directory })).toEqual({ applied: [] });
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
});

describe("migrationDrift", () => {
  test("is empty when the migrations make what schema.prisma describes", async () => {
    expect(await migrationDrift({ url: empty.url, directory })).toBe("");
  });

  test("is the missing SQL otherwise", async () => {
    await writeFile(join(directory, "schema.prisma"), SCHEMA.replace("size   Int", "size   Int\n  colour String?"));
    expect(await migrationDrift({ url: empty.url, directory })).toContain(
      'ALTER TABLE "things" ADD COLUMN     "colour" TEXT;',
    );
  });
});
