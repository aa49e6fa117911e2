import sql, { raw, Sql } from "sql-template-tag";

/** The type of a column. JSON is read and written as text. */
type ColumnType = "text" | "json" | "boolean" | "integer" | "float8" | "bigint" | "bytea" | "timestamptz";

/** The columns by the names of a row's members: `{ id: "text", orderId: "text?" }` are `id` and `order_id`, which can be null. */
export type Columns = Readonly<Record<string, ColumnType | `${ColumnType}?`>>;

interface Values {
  text: string;
  json: string;
  boolean: boolean;
  integer: number;
  float8: number;
  bigint: bigint;
  bytea: Uint8Array;
  timestamptz: Date;
}

export type Row<Of extends Columns> = {
  -readonly [Name in keyof Of]: Of[Name] extends keyof Values
    ? Values[Of[Name]]
    : Of[Name] extends `${infer Type extends ColumnType}?`
      ? Values[Type] | null
      : never;
};

/** The name of a member's column, which is also its name in public JSON: `order_id` for `orderId`. */
export const columnName = (member: string) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const columnType = (type: Columns[string]) => type.replace("?", "");

// The text of a statement is the same for every row, and building it costs several times as much as filling in the values.
function oncePerTable<Text extends object>(build: (columns: Columns) => Text): (columns: Columns) => Text {
  const built = new WeakMap<Columns, Text>();
  return (columns) => {
    const text = built.get(columns) ?? build(columns);
    built.set(columns, text);
    return text;
  };
}

/** Returns the list of a SELECT that yields a `Row`: `id, sender::text, order_id AS "orderId"`. */
export const selectColumns = oncePerTable((columns): Sql => {
  const selected = Object.entries(columns).map(([member, type]) => {
    const name = columnName(member);
    const text = columnType(type) === "json" ? `${name}::text` : name;
    return name === member ? text : `${text} AS "${member}"`;
  });
  return raw(selected.join(", "));
});

/** A statement for the rows that meet a condition. */
export interface Select<Found> {
  (condition: Sql): Sql;
  /** This member is never set; it tells the compiler the type of the rows. */
  readonly found?: Found;
}

/** Selects these columns of a table: `SELECT … FROM table WHERE condition`. */
export function selectFrom<Of extends Columns>(table: string, columns: Of): Select<Row<Of>> {
  const selected = raw(`SELECT ${selectColumns(columns).text} FROM ${table} WHERE `);
  return (condition) => sql`${selected}${condition}`;
}

/** Returns the names of the columns, for INSERT: `id, sender, order_id`. */
export const columnNames = oncePerTable((columns): Sql => raw(Object.keys(columns).map(columnName).join(", ")));

/** The texts before, between and after the values of `unnestRows`. */
const unnestTexts = oncePerTable((columns) => {
  const types = Object.values(columns).map(columnType);
  const names = `AS given (${columnNames(columns).text}, ordinal)`;
  const between = (begin: string, suffix: string, end: string) => [
    begin,
    ...types.map((type, at) => `::${type}${suffix}${at < types.length - 1 ? ", " : end}`),
  ];
  return {
    one: between("(VALUES (", "", `, 1::bigint)) ${names}`),
    many: between("unnest(", "[]", `) WITH ORDINALITY ${names}`),
  };
});

/**
 * Turns the rows into a table: `unnest($1::text[], $2::json[], …) WITH ORDINALITY AS given (id, sender, …, ordinal)`. A single row is
 * `(VALUES ($1::text, $2::json, …, 1::bigint)) AS given (…)`: PostgreSQL treats such a row as constants, so that the statement starts with
 * fewer scans, joins and sorts.
 */
export function unnestRows<Of extends Columns>(columns: Of, rows: readonly Row<Of>[]): Sql {
  const { one, many } = unnestTexts(columns);
  const members = Object.keys(columns);
  const [first] = rows;
  const valuesOf = (member: string) => (rows.length === 1 && first ? first[member] : rows.map((row) => row[member]));
  return new Sql(rows.length === 1 ? one : many, members.map(valuesOf));
}

/** Selects some of the columns. */
export function pickColumns<Of extends Columns, Name extends keyof Of>(columns: Of, names: Name[]): Pick<Of, Name> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Of, Name>;
}
