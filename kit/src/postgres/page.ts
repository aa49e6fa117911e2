/** One page of a list that ascends by id. */
export interface RowPage<Row> {
  rows: Row[];
  /** The last id of the page; absent on the last page. */
  nextCursor?: string;
}

/** How much a page holds, unless a single row is larger. */
export const MOST_PAGE_BYTES = 1024 * 1024;

/**
 * Cuts a page of `limit` rows from up to `limit + 1` that were read: the extra one says that there is a next page. It ends earlier when
 * the rows, as JSON, come to 1 MiB.
 */
export function page<Row extends { id: string }>(read: readonly Row[], limit: number): RowPage<Row> {
  const rows = read.slice(0, Math.min(limit, fitting(read)));
  const last = rows.at(-1);
  return read.length > rows.length && last ? { rows, nextCursor: last.id } : { rows };
}

/** How many of the first rows fit into a page, at least one. */
function fitting(rows: readonly object[]): number {
  let bytes = 0;
  const over = rows.findIndex((row) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return bytes > MOST_PAGE_BYTES;
  });
  return over < 0 ? rows.length : Math.max(1, over);
}
