import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "./database.js";
import { migrationDrift } from "./migration-drift.js";

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
