import sql from "sql-template-tag";
import { type Columns, columnNames, pickColumns, type Row, selectColumns, selectFrom, unnestRows } from "./columns.js";

const columns = { id: "text", sentTo: "json", paidAt: "timestamptz?" } as const satisfies Columns;
const row: Row<typeof columns> = { id: "a", sentTo: "{}", paidAt: null };

test("columns are named as PostgreSQL names them, and read as the row's members", () => {
  expect(selectColumns(columns).text).toBe(`id, sent_to::text AS "sentTo", paid_at AS "paidAt"`);
  expect(columnNames(columns).text).toBe("id, sent_to, paid_at");
  expect(selectFrom("things", pickColumns(columns, ["id"]))(sql`id = ${1}`).text).toBe(
    "SELECT id FROM things WHERE id = $1",
  );
});

test("rows become a table with a column for each of their members, and the number of each row", () => {
  const { text, values } = unnestRows(columns, [row, { ...row, id: "b" }]);
  expect(text).toBe(
    "unnest($1::text[], $2::json[], $3::timestamptz[]) WITH ORDINALITY AS given (id, sent_to, paid_at, ordinal)",
  );
  expect(values).toEqual([
    ["a", "b"],
    ["{}", "{}"],
    [null, null],
  ]);
});

test("a single row becomes a table without arrays", () => {
  const { text, values } = unnestRows(columns, [row]);
  expect(text).toBe(
    "(VALUES ($1::text, $2::json, $3::timestamptz, 1::bigint)) AS given (id, sent_to, paid_at, ordinal)",
  );
  expect(values).toEqual(["a", "{}", null]);
});

test("the compiler refuses a row that lacks a column, and null where a column has a value", () => {
  // @ts-expect-error
  const lacking: Row<typeof columns> = { id: "a", sentTo: "{}" };
  // @ts-expect-error
  const empty: Row<typeof columns> = { ...row, id: null };
  expect([lacking.paidAt, empty.id]).toEqual([undefined, null]);
});
