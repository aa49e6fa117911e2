import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contractionIn } from "@shipping/kit/postgres/releases/contractions";
import { isOlder, nextReleases, RELEASE } from "@shipping/kit/release";
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

test("migrations after a part's first only expand, so that old code runs on them, or say that they contract", () => {
  expect(all.filter(({ isFirst }) => isFirst)).toHaveLength(parts.length);
  const contracting = all.filter(({ isFirst, text }) => !isFirst && contracts(text));
  expect(contracting.map(({ part, name }) => `${part} ${name}`)).toEqual([]);
});

/** Returns the mistakes in the headings of a part's migrations, which are in their order, for a tree whose last release is `last`. */
function headingProblems(migrations: readonly Migration[], last: string): string[] {
  let before = "1.0.0";
  return migrations.flatMap(({ part, name, isFirst, text }) => {
    const [, release] = /^-- release: (\d+\.\d+\.\d+)\n/.exec(text) ?? [];
    if (release === undefined) return [`${part} ${name}: its first line is not "-- release: ${nextReleases(last)[1]}"`];
    const previous = isFirst ? "1.0.0" : before;
    before = release;
    if (isFirst ? release !== "1.0.0" : isOlder(release, previous))
      return [`${part} ${name}: release ${release} does not come after ${previous}`];
    if (isOlder(last, release) && !nextReleases(last).includes(release))
      return [`${part} ${name}: release ${release} is neither ${last} nor one that can follow it`];
    const contraction = contractionIn({ name, script: text });
    if (/^-- contracts:/m.test(text) && !contraction) return [`${part} ${name}: "contracts:" needs "needs 1.0.0"`];
    if (!contraction) return [];
    const isReleased = !isOlder(last, contraction.needs) && isOlder(contraction.needs, release);
    return isReleased
      ? []
      : [`${part} ${name}: it needs ${contraction.needs}, which is not released before ${release}`];
  });
}

test("each migration says in which release it came, and a contraction which earlier release it needs", () => {
  expect(headingProblems(all, RELEASE)).toEqual([]);
});

test.each([
  ["ALTER TABLE t ADD a text;", ['its first line is not "-- release: 1.2.0"']],
  ["-- release: 1.2.0\nALTER TABLE t ADD a text;", []],
  ["-- release: 0.9.0\nALTER TABLE t ADD a text;", ["release 0.9.0 does not come after 1.0.0"]],
  ["-- release: 1.3.0\nALTER TABLE t ADD a text;", ["release 1.3.0 is neither 1.1.0 nor one that can follow it"]],
  ["-- release: 1.2.0\n-- contracts: needs 1.1.0\nDROP TABLE t;", []],
  ["-- release: 1.2.0\n-- contracts: for tidiness\nDROP TABLE t;", ['"contracts:" needs "needs 1.0.0"']],
  [
    "-- release: 1.1.0\n-- contracts: needs 1.1.0\nDROP TABLE t;",
    ["it needs 1.1.0, which is not released before 1.1.0"],
  ],
  [
    "-- release: 1.2.0\n-- contracts: needs 1.2.0\nDROP TABLE t;",
    ["it needs 1.2.0, which is not released before 1.2.0"],
  ],
])("a wrong heading of a migration is found: %j", (text, found) => {
  const first = { part: "carrier", name: "1_init", isFirst: true, text: "-- release: 1.0.0\n" };
  const more = { part: "carrier", name: "2_more", isFirst: false, text };
  expect(headingProblems([first, more], "1.1.0")).toEqual(found.map((problem) => `carrier 2_more: ${problem}`));
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
