/** One page of a list that ascends by id. */
export interface Page<Row> {
  rows: Row[];
  /** The last id of the page; absent on the last page. */
  nextCursor?: string;
}

/** Cuts a page of `limit` rows from up to `limit + 1` that were read: the one too many says that there is a next page. */
export function page<Row extends { id: string }>(read: readonly Row[], limit: number): Page<Row> {
  const rows = read.slice(0, limit);
  const last = rows.at(-1);
  return read.length > limit && last ? { rows, nextCursor: last.id } : { rows };
}
