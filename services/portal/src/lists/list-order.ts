export const OLDEST = "oldest";

/** The parameter of a list that can be sorted by time: the newest come first unless it says otherwise. */
export const orderQuery = { order: { maxLength: OLDEST.length } };

export function isOldestFirst(query: URLSearchParams): boolean {
  return query.get("order") === OLDEST;
}
