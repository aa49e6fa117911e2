import { DATABASE_OWNERS, PARTS } from "@shipping/proto/parts";
import { read, sources } from "./sources.js";

// A test outside a part calls what the part exports in `src/testing`, which the part's own tests prove. A file that names a table itself would
// fail in the platform after a change that is green in the part.

/** Files with statements on tables. Each has a reason; the list only gets shorter. */
const EXCEPTIONS: Record<string, string> = {
  "test/tree/migrations.test.ts": "tests how the migrations of the parts lay out their tables",
  "test/tree/table-owners.test.ts": "has examples",
  "test/trials/failover/migrations.ts":
    "adds migrations of its own to a table of carrier, which later migrations cannot make wrong",
  "test/trials/faults/dispatch.ts": "quotes code of webhooks",
  "test/trials/releases/planted-releases.ts":
    "adds a column of its own to a table of records, and drops it, as later releases would",
  "test/trials/restore/archived-postgres.ts":
    "runs the statements of docs/operations/backup.md, as an operator does, before a part has started",
};

/** It compares the platform with statements on tables of its own. */
const FLOOR = "test/trials/bench/floor/";

/** Finds tables of the parts in statements, and in calls of the functions that read whole rows. */
function tablesOf(): RegExp {
  const names = DATABASE_OWNERS.flatMap(
    (part) => read(`${PARTS[part].folder}/prisma/schema.prisma`).match(/(?<=@@map\(")\w+/g) ?? [],
  );
  const table = `"?(?:${[...new Set(names)].join("|")})\\b`;
  return new RegExp(
    `\\b(?:FROM|INTO|UPDATE|JOIN|TABLE|ANALYZE) +${table}|\\b(?:rowsIn|countIn)(?:<[^>]*>)?\\([^()]*, *${table}`,
  );
}

const tables = tablesOf();
const naming = () =>
  sources.filter(({ path, text }) => path.startsWith("test/") && tables.test(text)).map(({ path }) => path);

test.each([
  ["SELECT FROM orders", true],
  ['DELETE FROM "orders"', true],
  ["INSERT INTO dead_events (id)", true],
  ["UPDATE subscriptions SET", true],
  ['countIn(stack.databases.carrier, "labels", { accountId })', true],
  ["SELECT FROM orders_away", false],
  ["all events of labels", false],
])("%j names a table of a part: %s", (text, isNamed) => {
  expect(tables.test(text)).toBe(isNamed);
});

test("no test names a table of a part", () => {
  const found = naming().filter((path) => !path.startsWith(FLOOR));
  expect(found.filter((path) => !(path in EXCEPTIONS))).toEqual([]);
  expect(Object.keys(EXCEPTIONS).filter((path) => !found.includes(path))).toEqual([]);
});
