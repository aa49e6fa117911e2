import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "./database.js";
import { migrationDrift, writeMigration } from "./migration-drift.js";

const THINGS = `
CREATE TABLE things (id text COLLATE "C" NOT NULL, size integer NOT NULL CHECK (size > 0), made_at timestamptz(3) NOT NULL,
  CONSTRAINT things_pkey PRIMARY KEY (id));
CREATE UNLOGGED TABLE counters (id text NOT NULL, CONSTRAINT counters_pkey PRIMARY KEY (id));
CREATE INDEX things_small ON things (made_at) WHERE size < 10;
CREATE FUNCTION double(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END; $$;`;

const SCHEMA = `
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
  await mkdir(join(directory, "migrations/1_things"));
  await writeFile(join(directory, "migrations/1_things/migration.sql"), THINGS);
});

afterEach(async () => {
  await empty.drop();
  await rm(directory, { recursive: true });
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

describe("writeMigration", () => {
  const write = (name: string, now: string) => writeMigration({ directory, name, url: empty.url, now: new Date(now) });

  test("writes what the migrations lack, in a folder named after the time and the change", async () => {
    await writeFile(join(directory, "schema.prisma"), SCHEMA.replace("size   Int", "size   Int\n  colour String?"));
    const file = await write("add-colour", "2026-01-02T03:04:05.678Z");
    expect(file).toBe(join(directory, "migrations", "20260102030405_add_colour", "migration.sql"));
    expect(await readFile(file as string, "utf8")).toContain('ADD COLUMN     "colour" TEXT;');
  });

  test("writes no file when they are complete", async () => {
    expect(await write("add-nothing", "2026-01-03T03:04:05Z")).toBeUndefined();
    expect(await readdir(join(directory, "migrations"))).toEqual(["1_things"]);
  });
});
