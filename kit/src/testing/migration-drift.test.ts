import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeMigration } from "./migration-drift.js";
import { type MigrationsFolder, migrationsFolder } from "./migrations-folder.js";

const THINGS = `
CREATE TABLE things (id text COLLATE "C" NOT NULL, size integer NOT NULL CHECK (size > 0), made_at timestamptz(3) NOT NULL,
  CONSTRAINT things_pkey PRIMARY KEY (id));
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
}`;

let folder: MigrationsFolder;
beforeEach(async () => {
  folder = await migrationsFolder();
  await folder.add("1_things", THINGS);
});
afterEach(() => folder.drop());

async function write(schema: string): Promise<string | undefined> {
  await writeFile(join(folder.directory, "schema.prisma"), schema);
  return writeMigration({ ...folder, name: "add-colour", now: new Date("2026-01-02T03:04:05.678Z"), release: "1.1.0" });
}

test("a migration is written with the SQL that the migrations lack, in a folder named after the time and the change", async () => {
  const file = await write(SCHEMA.replace("size   Int", "size   Int\n  colour String?"));
  expect(file).toBe(join(folder.directory, "migrations", "20260102030405_add_colour", "migration.sql"));
  const script = await readFile(file as string, "utf8");
  expect(script).toMatch(/^-- release: 1\.1\.0\n/);
  expect(script).toContain('ALTER TABLE "things" ADD COLUMN     "colour" TEXT;');
});

test("no migration is written when the migrations make what schema.prisma describes", async () => {
  expect(await write(SCHEMA)).toBeUndefined();
  expect(await readdir(join(folder.directory, "migrations"))).toEqual(["1_things"]);
});
