import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testDatabase } from "@shipping/kit/testing/database";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import { migrationFolders, parts } from "@shipping/local/parts";
import { PUBLISHERS } from "@shipping/proto/parts";
import sql from "sql-template-tag";
import { contracts } from "./contractions.js";

interface Migration {
  part: string;
  name: string;
  isFirst: boolean;
  text: string;
}

const all = parts.flatMap((part) => {
  const folder = join(migrationFolders[part], "migrations");
  const names = readdirSync(folder).filter((name) => /^\d/.test(name));
  return names.sort().map((name): Migration => {
    const text = readFileSync(join(folder, name, "migration.sql"), "utf8");
    return { part, name, isFirst: name === names[0], text };
  });
});

test.each(parts)("migrations and schema.prisma of %s agree", async (part) => {
  const directory = migrationFolders[part];
  const { url, drop } = await testDatabase({ directory });
  expect(await migrationDrift({ url, directory })).toBe("");
  await drop();
});

test("migrations after a part's first only expand, so that old code runs on them, or say why they contract", () => {
  expect(all.filter(({ isFirst }) => isFirst)).toHaveLength(parts.length);
  const contracting = all.filter(({ isFirst, text }) => !isFirst && contracts(text));
  expect(contracting.map(({ part, name }) => `${part} ${name}`)).toEqual([]);
});

/** The indexes that a migration builds in a way that blocks writes, on a table that may be large. */
function blockingIndexes(migrations: readonly Migration[]): string[] {
  const created = (text: string) => new Set([...text.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table));
  const indexes = (text: string) =>
    text.matchAll(/CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+)\s+ON (\w+)/g);
  return migrations.flatMap(({ part, name, isFirst, text }) =>
    [...indexes(text)].flatMap(([, concurrently, index = "", table = ""]) => {
      if (concurrently)
        return /^-- concurrently\b/m.test(text) ? [] : `${part} ${name}: ${index} is concurrent, its migration is not`;
      return isFirst || created(text).has(table) ? [] : `${part} ${name}: ${index}`;
    }),
  );
}

test("migrations build indexes on tables that may be large while others write, in a migration of their own", () => {
  expect(blockingIndexes(all)).toEqual([]);
});

test.each([
  ["CREATE INDEX t_a ON t (a);", ["carrier 2_more: t_a"]],
  ["CREATE UNIQUE INDEX IF NOT EXISTS t_a\n  ON t (a);", ["carrier 2_more: t_a"]],
  [
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS t_a ON t (a);",
    ["carrier 2_more: t_a is concurrent, its migration is not"],
  ],
  ["-- concurrently\nCREATE INDEX CONCURRENTLY IF NOT EXISTS t_a ON t (a);", []],
  ["CREATE TABLE t (a text);\nCREATE INDEX t_a ON t (a);", []],
])("the indexes that keep others from writing are found: %j", (text, found) => {
  expect(blockingIndexes([{ part: "carrier", name: "2_more", isFirst: false, text }])).toEqual(found);
  expect(
    blockingIndexes([{ part: "carrier", name: "1_init", isFirst: true, text: "CREATE INDEX t_a ON t (a);" }]),
  ).toEqual([]);
});

test.each(PUBLISHERS)("an event's row in the outbox of %s stays in its block when it is published", async (part) => {
  const { db, drop } = await testDatabase({ directory: migrationFolders[part] });
  await db.run(sql`
    INSERT INTO outbox (event_id, type, account_id, environment, body, created_at, leased_until)
    SELECT 'evt_' || n, 'label.created', 'acc_1', 'sandbox', decode(repeat('00', 900), 'hex'), now(), now()
    FROM generate_series(1, 64) AS n`);
  const blocks = () => db.run<{ block: number }>(sql`SELECT (ctid::text::point)[0] AS block FROM outbox ORDER BY id`);
  const before = await blocks();
  expect(new Set(before.map(({ block }) => block)).size).toBeGreaterThan(1);
  await db.run(sql`UPDATE outbox SET published_at = now()`);
  expect(await blocks()).toEqual(before);
  await drop();
});
