import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { testDatabase } from "./database.js";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations", "1_things"), { recursive: true });
  const content = `CREATE TABLE things (id text PRIMARY KEY); -- ${directory}`;
  await writeFile(join(directory, "migrations", "1_things", "migration.sql"), content);
});

afterAll(() => rm(directory, { recursive: true }));

describe("testDatabase", () => {
  test("clones share only the migrations, also when made at the same time", async () => {
    const [one, two] = await Promise.all([testDatabase({ directory }), testDatabase({ directory })]);
    await one.db.run(sql`INSERT INTO things VALUES ('a')`);
    expect(await one.db.run(sql`SELECT id FROM things`)).toEqual([{ id: "a" }]);
    expect(await two.db.run(sql`SELECT id FROM things`)).toEqual([]);
    await Promise.all([one.drop(), two.drop()]);
  });

  test("drop removes the database", async () => {
    const { url, drop } = await testDatabase({ directory });
    const other = await testDatabase({ directory });
    await drop();
    const name = new URL(url).pathname.slice(1);
    expect(await other.db.run(sql`SELECT FROM pg_database WHERE datname = ${name}`)).toEqual([]);
    await other.drop();
  });
});
