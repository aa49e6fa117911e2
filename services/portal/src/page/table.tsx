import type { ComponentChildren } from "preact";

/** The columns of a table: the cell of a row by the column's heading. Columns that are not shown are falsy. */
export type Columns<Row> = Readonly<Record<string, ((row: Row) => ComponentChildren) | false | undefined>>;

/** The heading of the boxes that select rows, which is only read aloud. */
export const SELECT = "Select";

interface TableProps<Row> {
  columns: Columns<Row>;
  rows: readonly Row[];
  class?: string;
  caption?: string;
  /** The heading of the column of actions, which has no label on narrow screens. */
  actions?: string;
  rowClass?(row: Row): string | undefined;
  /**
   * For a list: the places of its columns in rows of two lines on narrow screens, where other columns are hidden. On wide screens, its rows have
   * one line. A click anywhere in a row follows its link with the class `row`.
   */
  places?: Readonly<Record<string, Place>>;
  /** How a list is sorted. */
  order?: Order | undefined;
}

/** A list's order by a column, and the path of the list in the opposite one. */
export interface Order {
  column: string;
  ascending: boolean;
  opposite: string;
}

/** The first line has a title, a state and a time; the second has details and something beside them. A box before both selects the row. */
type Place = "select" | "title" | "state" | "when" | "detail" | "aside";

/**
 * A table. On narrow screens its headings are hidden, and each cell shows its own `data-label`, unless the table has places. Styles find a column
 * by its heading.
 */
export function Table<Row>({
  columns,
  rows,
  caption,
  actions,
  rowClass,
  places,
  order,
  ...attributes
}: TableProps<Row>) {
  const shown = Object.entries(columns).flatMap(([heading, cell]) => (cell ? [{ heading, cell }] : []));
  return (
    <table class={places ? `list ${attributes.class ?? ""}`.trim() : attributes.class}>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {shown.map(({ heading }) => (
            <th
              scope="col"
              data-column={heading.toLowerCase()}
              aria-sort={heading === order?.column ? (order.ascending ? "ascending" : "descending") : undefined}
            >
              {heading === SELECT ? <span class="unseen">{heading}</span> : heading}
              {heading === order?.column && <OppositeOrder {...order} />}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr class={rowClass?.(row)}>
            {shown.map(({ heading, cell }) => (
              <td data-label={heading === actions ? undefined : heading} class={places?.[heading]}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function OppositeOrder({ ascending, opposite }: Order) {
  return (
    <a class="order" href={opposite}>
      <span aria-hidden="true">{ascending ? "↑" : "↓"}</span>
      <span class="unseen">Sort in the opposite order</span>
    </a>
  );
}

/** A list of names with their values. Facts that are not known are undefined or false. */
export function Facts({
  facts,
  ...attributes
}: {
  facts: Readonly<Record<string, ComponentChildren>>;
  class?: string;
}) {
  return (
    <dl class={attributes.class}>
      {Object.entries(facts).map(
        ([name, value]) => value !== undefined && value !== false && <Fact name={name}>{value}</Fact>,
      )}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
