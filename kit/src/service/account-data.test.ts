import { join } from "node:path";
import sql, { raw } from "sql-template-tag";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { type AccountData, countInFlight, eraseBatch, exportPage } from "./account-data.js";

const directory = join(import.meta.dirname, "../testing/fixtures/prisma");

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase({ directory });
  await database.db.pool.query(`
    CREATE TABLE notes (account_id text, n integer, body bytea, hash bytea, amount bigint, PRIMARY KEY (account_id, n));
    CREATE TABLE pages (note_of text, at timestamptz(6), scan bytea) PARTITION BY RANGE (at);
    CREATE TABLE pages_1 PARTITION OF pages FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
    CREATE TABLE pages_2 PARTITION OF pages FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
    CREATE INDEX ON pages (at);
    CREATE TABLE marks (account_id text PRIMARY KEY);`);
  for (const account of ["acc_a", "acc_b"]) {
    await database.db.run(sql`
      INSERT INTO notes SELECT ${account}, n, convert_to('{"n":' || n || '}', 'UTF8'), '\\xff', 9007199254740993 FROM generate_series(1, 7) AS n`);
    await database.db.run(sql`
      INSERT INTO pages SELECT ${account}, '2026-01-28 00:00:00.000001+00'::timestamptz + n * interval '1 day 1 microsecond', '\\x2550'
      FROM generate_series(1, 6) AS n`);
  }
});
afterEach(() => database.drop());

const data: AccountData = {
  tables: [
    { name: "pages", key: ["at"], ownedBy: (id) => sql`note_of = ${id}`, walked: true, bytes: { scan: "pdf" } },
    { name: "notes", key: ["n"], bytes: { body: "json" } },
  ],
  kept: { marks: "it says that the account is gone" },
  inFlight: (id) => sql`SELECT count(*) FROM notes WHERE account_id = ${id} AND n > 5`,
  beforeErasure: (id) => sql`INSERT INTO marks VALUES (${id}) ON CONFLICT DO NOTHING`,
};
const small = { rows: 3, bytes: 1_000, walked: 4 };

async function exportAll(sizes = small) {
  const pages: Awaited<ReturnType<typeof exportPage>>[] = [];
  let cursor: string | undefined;
  do {
    const page = await exportPage(database.db, data, { accountId: "acc_a", cursor }, sizes);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor);
  return pages;
}

async function eraseAll(from?: string) {
  const batches: { table: string; rows: number }[] = [];
  let cursor = from;
  do {
    const { nextCursor, ...batch } = await eraseBatch(database.db, data, { accountId: "acc_a", cursor }, small);
    batches.push(batch);
    cursor = nextCursor;
  } while (cursor);
  return batches;
}

const rowsOf = async (account: string) => {
  const [row] = await database.db.run<{ notes: bigint; pages: bigint }>(sql`
    SELECT (SELECT count(*) FROM notes WHERE account_id = ${account}) AS notes, (SELECT count(*) FROM pages WHERE note_of = ${account}) AS pages`);
  return { notes: Number(row!.notes), pages: Number(row!.pages) };
};

describe("an export", () => {
  test("has every row of the account once, table by table, and no row of another", async () => {
    const pages = await exportAll();
    expect(pages.every(({ rows }) => rows.length <= 3)).toBe(true);
    const rows = pages.flatMap(({ table, rows }) => rows.map(({ json }) => ({ table, ...JSON.parse(json) })));
    expect(rows.filter(({ table }) => table === "notes").map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(rows.filter(({ table, note_of }) => table === "pages" && note_of === "acc_a")).toHaveLength(6);
    expect(rows).toHaveLength(13);
  });

  test("contains only bytes that are declared as JSON or a file", async () => {
    const rows = (await exportAll()).flatMap(({ rows }) => rows);
    const first = { account_id: "acc_a", n: 1, body: { n: 1 }, amount: "9007199254740993" };
    expect(JSON.parse(rows.find(({ json }) => json.includes('"n":1'))!.json)).toEqual(first);
    const file = rows.find((row) => row.file)!;
    expect(file).toMatchObject({ fileName: expect.stringMatching(/\.pdf$/), file: Buffer.from("%P") });
    expect(file.json).not.toContain("scan");
  });

  test("has pages of no more bytes than one answer carries, and of one row at least", async () => {
    const pages = await exportAll({ ...small, bytes: 1 });
    expect(pages.filter(({ table }) => table === "notes").map(({ rows }) => rows.length)).toEqual([
      1, 1, 1, 1, 1, 1, 1,
    ]);
  });

  test("continues after a migration that adds a column", async () => {
    const first = await exportPage(database.db, data, { accountId: "acc_a", cursor: '["notes"]' }, small);
    await database.db.pool.query("ALTER TABLE notes ADD COLUMN more integer DEFAULT 5");
    const next = await exportPage(database.db, data, { accountId: "acc_a", cursor: first.nextCursor }, small);
    expect(next.rows.map(({ json }) => JSON.parse(json))).toMatchObject([{ n: 4, more: 5 }, { n: 5 }, { n: 6 }]);
  });

  test("of a table without rows of accounts is refused", async () => {
    const wanted = exportPage(database.db, data, { accountId: "acc_a", cursor: '["marks"]' });
    await expect(wanted).rejects.toThrow("No table marks belongs to accounts.");
  });
});

describe("an erasure", () => {
  test("deletes every row of the account in batches, over partitions, and none of another's", async () => {
    const batches = await eraseAll();
    expect(batches.every(({ rows }) => rows <= 3)).toBe(true);
    expect(batches.reduce((sum, { rows }) => sum + rows, 0)).toBe(13);
    expect(await rowsOf("acc_a")).toEqual({ notes: 0, pages: 0 });
    expect(await rowsOf("acc_b")).toEqual({ notes: 7, pages: 6 });
  });

  test("that was interrupted finds the rest when it starts again, and no rows the third time", async () => {
    const { nextCursor, rows } = await eraseBatch(database.db, data, { accountId: "acc_a" }, small);
    expect([rows, nextCursor]).toEqual([expect.any(Number), expect.stringContaining("pages")]);
    const again = await eraseAll();
    expect(rows + again.reduce((sum, batch) => sum + batch.rows, 0)).toBe(13);
    expect((await eraseAll()).every((batch) => batch.rows === 0)).toBe(true);
  });

  test("first runs the statement that comes before it, each time", async () => {
    await eraseAll();
    await eraseAll();
    expect(await database.db.run(sql`SELECT * FROM ${raw("marks")}`)).toEqual([{ account_id: "acc_a" }]);
  });
});

test("work under way is counted, for this account only", async () => {
  expect(await countInFlight(database.db, data, "acc_a")).toBe(2);
  expect(await countInFlight(database.db, { tables: data.tables, kept: {} }, "acc_a")).toBe(0);
});
