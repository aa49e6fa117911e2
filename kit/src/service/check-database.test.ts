import { openDatabase } from "../postgres/database.js";
import { silentLog } from "../process/log.js";
import { type MigrationsFolder, migrationsFolder } from "../testing/migrations-folder.js";
import { pretendVersion } from "../testing/older-postgres.js";
import { checkDatabase } from "./check-database.js";

let folder: MigrationsFolder;
beforeEach(async () => {
  folder = await migrationsFolder({ "1_things": "CREATE TABLE things (id text PRIMARY KEY);" });
});
afterEach(() => folder.drop());

/** Checks the database over new connections, as another process would. */
async function check(url = folder.url) {
  const db = openDatabase(url, { max: 2, log: silentLog() });
  try {
    return await checkDatabase(db, folder.directory);
  } finally {
    await db.close();
  }
}

test("a database that is reachable and migrated", async () => {
  expect(await check()).toEqual({
    part: "database",
    ok: true,
    says: expect.stringMatching(/^reachable and migrated, on PostgreSQL \d+/),
    encryption: { encrypted: false },
  });
});

test("migrations that are missing, or were begun and not ended, are named with what to do", async () => {
  await folder.add("2_more", "CREATE TABLE more (id text);");
  expect(await check()).toMatchObject({
    ok: false,
    says: "reachable, but not migrated: 2_more",
    advice: expect.stringContaining("migration job"),
  });
  await folder.db.pool.query("UPDATE _prisma_migrations SET finished_at = NULL");
  expect(await check()).toMatchObject({ ok: false, says: "reachable, but not migrated: 1_things, 2_more" });
});

test("a database that cannot be reached is said to be so, with the reason", async () => {
  expect(await check("postgres://nobody@127.0.0.1:1/none")).toEqual({
    part: "database",
    ok: false,
    says: expect.stringMatching(/^not reachable: .*ECONNREFUSED/),
    advice: expect.stringContaining("PostgreSQL is running"),
  });
});

test("a server that is too old is named with what is needed", async () => {
  await pretendVersion(folder, "14.19");
  expect(await check()).toMatchObject({ ok: false, says: "PostgreSQL 14.19 is too old. Install version 15 or newer." });
});

test("a database whose sessions do not find the tables is named with the reason", async () => {
  const name = new URL(folder.url).pathname.slice(1);
  await folder.db.pool.query(`ALTER DATABASE ${name} SET search_path = elsewhere`);
  expect(await check()).toMatchObject({
    ok: false,
    says: expect.stringMatching(/^The tables are in schema public, but the search_path .* leads to no schema\.$/),
  });
});
