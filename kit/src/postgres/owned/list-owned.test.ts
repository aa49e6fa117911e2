import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { CallerSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import sql, { type Sql } from "sql-template-tag";
import type { Caller } from "../../caller.js";
import { type TestDatabase, testDatabase } from "../../testing/database.js";
import { eventually } from "../../testing/eventually.js";
import { costlyNodes, watched } from "../../testing/plans.js";
import { jsonIn, newCaller } from "../../testing/writes.js";
import type { Page } from "./list-owned.js";
import { listOwned, MAX_PAGE_BYTES, renderPage } from "./list-owned.js";
import type { ReadDeps } from "./read-owned.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../../testing/fixtures/prisma") });
});
afterAll(() => database.drop());

// The ledger's rows are listed by their idempotency key, which serves as the id.
const listWrites = listOwned<{ id: string; kind: string }>({
  select: (askedCondition) =>
    sql`SELECT id, kind FROM (SELECT account_id, environment, idempotency_key AS id, kind FROM ledger) AS ledger WHERE ${askedCondition}`,
  render: ({ id, kind }) => JSON.stringify({ id, kind }),
});
const idsIn = (page: Page) => jsonIn(page).map(({ id }: { id: string }) => id);

async function newRows(count: number, caller = newCaller()): Promise<Caller> {
  const keys = Array.from({ length: count }, (_, at) => `A${String(at).padStart(3, "0")}`);
  await database.db.run(sql`
    INSERT INTO ledger (account_id, environment, idempotency_key, token, kind)
    SELECT ${caller.accountId}, ${caller.environment}, key, 1, 'tombstone' FROM unnest(${keys}::text[]) AS new (key)`);
  return caller;
}

const asked = (caller: Caller, limit: number, after?: string) => ({
  caller: create(CallerSchema, caller),
  limit,
  ...(after === undefined ? {} : { after }),
});

describe("listOwned", () => {
  test("lists only the caller's rows, in the order of their ids, each once", async () => {
    const caller = await newRows(7);
    await newRows(3);
    await newRows(3, { ...caller, environment: "live" });
    const seen: string[][] = [];
    let after: string | undefined;
    do {
      const page = await listWrites(database, asked(caller, 3, after));
      seen.push(idsIn(page));
      after = page.nextCursor;
    } while (after !== undefined);
    expect(seen).toEqual([["A000", "A001", "A002"], ["A003", "A004", "A005"], ["A006"]]);
  });

  test("large rows end a page early, none is left out, a row larger than a page is a page of its own, and few are read without being shown", async () => {
    const sizeOf = sql`CASE idempotency_key WHEN 'A004' THEN 3000000 ELSE 300000 END`;
    let read = 0;
    const list = listOwned<{ id: string; text: string }>({
      select: (askedCondition) =>
        sql`SELECT id, text FROM (
          SELECT account_id, environment, idempotency_key AS id, repeat('x', ${sizeOf}) AS text FROM ledger) AS ledger WHERE ${askedCondition}`,
      render: ({ id, text }) => JSON.stringify({ id, text }),
      bytes: sql`octet_length(text)`,
    });
    const counting: ReadDeps = {
      db: {
        ...database.db,
        async runList<Row>(statement: Sql) {
          const rows = await database.db.runList<Row>(statement);
          read += rows.length;
          return rows;
        },
      },
    };
    const caller = await newRows(8);
    const seen: string[][] = [];
    let after: string | undefined;
    do {
      const page = await list(counting, asked(caller, 100, after));
      seen.push(jsonIn(page).map(({ id, text }: { id: string; text: string }) => `${id}:${text.length}`));
      after = page.nextCursor;
    } while (after !== undefined);
    const large = (...ids: string[]) => ids.map((id) => `${id}:300000`);
    expect(seen).toEqual([
      large("A000", "A001", "A002"),
      large("A003"),
      ["A004:3000000"],
      large("A005", "A006", "A007"),
    ]);
    // A page reads at most two rows more than it shows.
    expect(read).toBeLessThanOrEqual(8 + 2 * seen.length);
  });

  test("a request without a caller is refused", async () => {
    await expect(listWrites(database, { limit: 1 })).rejects.toMatchObject({ code: "internal_error" });
  });

  test("pages of several callers share a statement, and each gets its own rows, place and limit", async () => {
    const deps = watched(database.db);
    const callers = await Promise.all([newRows(5), newRows(0), newRows(2), newRows(5)]);
    const [first, second, third, fourth] = callers as [Caller, Caller, Caller, Caller];
    const pages = await Promise.all([
      listWrites(deps, asked(first, 2)),
      listWrites(deps, asked(second, 100)),
      listWrites(deps, asked(third, 100)),
      listWrites(deps, asked(fourth, 3, "A001")),
      listWrites(deps, asked(first, 100, "A003")),
    ]);
    expect(pages.map((page) => [idsIn(page).join(" "), page.nextCursor])).toEqual([
      ["A000 A001", "A001"],
      ["", undefined],
      ["A000 A001", undefined],
      ["A002 A003 A004", undefined],
      ["A004", undefined],
    ]);
    expect(deps.statements).toHaveLength(1);
  });

  test("a cursor that PostgreSQL cannot take fails alone", async () => {
    const caller = await newRows(1);
    const ends = await Promise.allSettled(
      [undefined, "\u0000", "k"].map((after) => listWrites(database, asked(caller, 1, after))),
    );
    expect(ends.map((end) => end.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("uses only the connections for lists", async () => {
    const caller = await newRows(1);
    const { listPool } = database.db;
    const lists = await Promise.all(Array.from({ length: listPool.options.max }, () => listPool.connect()));
    const waiting = listWrites(database, asked(caller, 1));
    await eventually(() => expect(listPool.waitingCount).toBe(1));
    for (const client of lists) client.release();
    expect(idsIn(await waiting)).toHaveLength(1);
  });

  test("finds each page by its index, however many rows there are, alone and with others", async () => {
    const { db, statements } = watched(database.db);
    const deps = { db };
    const page = asked(await newRows(1), 1);
    for (const pages of [1, 2]) await Promise.all(Array.from({ length: pages }, () => listWrites(deps, page)));
    const costly = await Promise.all(statements.map((statement) => costlyNodes(database.db, statement)));
    expect(costly).toEqual([[], []]);
  });
});

describe("renderPage", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `id_${index}` }));
  const ofBytes = (bytes: number) => () => JSON.stringify("x".repeat(bytes - 2));
  const [half, huge] = [ofBytes(MAX_PAGE_BYTES / 2), ofBytes(MAX_PAGE_BYTES + 2)];

  test.each([
    ["a full page with more behind it names its last id", 3, 2, undefined, 2, "id_1"],
    ["a page that ends exactly at the end has no cursor", 2, 2, undefined, 2, undefined],
    ["an empty page has no cursor", 0, 25, undefined, 0, undefined],
    ["a page ends before it comes to more than 1 MiB", 100, 100, () => JSON.stringify("é".repeat(10_000)), 52, "id_51"],
    ["a page of exactly 1 MiB is one page", 2, 100, half, 2, undefined],
    ["a page of exactly 1 MiB can have others behind it", 3, 100, half, 2, "id_1"],
    ["a larger resource is a page by itself", 2, 100, huge, 1, "id_0"],
    ["a larger resource can be the last page", 1, 100, huge, 1, undefined],
  ])("%s", (_what, read, limit, render = () => "{}", shown, cursor) => {
    const page = renderPage(rows(read), limit, render);
    expect(jsonIn(page)).toHaveLength(shown);
    expect(page).toStrictEqual({ data: page.data, ...(cursor && { nextCursor: cursor }) });
  });

  test("contains the resources byte for byte as they were rendered", () => {
    const { data } = renderPage(rows(2), 2, ({ id }) => `{ "ü": "${id}" }`);
    expect(Buffer.from(data).toString()).toBe('[{ "ü": "id_0" },{ "ü": "id_1" }]');
  });
});
