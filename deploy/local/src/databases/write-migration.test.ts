import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { writeMigration } from "./write-migration.js";

const SCHEMA = `
datasource db {
  provider = "postgresql"
}
model Thing {
  id String @id
  @@map("things")
}`;

let directory: string;
let empty: TestDatabase;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations"));
  await writeFile(join(directory, "schema.prisma"), SCHEMA);
  empty = await testDatabase({ directory });
});

afterEach(async () => {
  await empty.drop();
  await rm(directory, { recursive: true });
});

function write(name: string, now: string): Promise<string | undefined> {
  return writeMigration({ directory, name, url: empty.url, now: new Date(now) });
}

describe("npm run migrate:new", () => {
  test("writes what the migrations lack, in a folder named after the time and the change", async () => {
    const file = await write("add-things", "2026-01-02T03:04:05.678Z");
    expect(file).toBe(join(directory, "migrations", "20260102030405_add_things", "migration.sql"));
    expect(await readFile(file as string, "utf8")).toContain('CREATE TABLE "things"');
  });

  test("writes nothing when they lack nothing", async () => {
    await write("add-things", "2026-01-02T03:04:05Z");
    expect(await write("add-nothing", "2026-01-03T03:04:05Z")).toBeUndefined();
    expect(await readdir(join(directory, "migrations"))).toEqual(["20260102030405_add_things"]);
  });
});
