import { isId } from "@shipping/kit/ids";

/** How much of a list one page shows. */
export const PAGE_SIZE = 50;

/** The id after which a page of a list begins, if the query names one of that kind. */
export function cursorOf(query: URLSearchParams, prefix: string): string | undefined {
  const after = query.get("after") ?? "";
  return isId(prefix, after) ? after : undefined;
}

/** Cuts a page from what was read: up to `PAGE_SIZE + 1` rows, of which the extra one says that there is a next page. */
export function pageOf<Row extends { id: string }>(read: readonly Row[]): { rows: Row[]; nextCursor?: string } {
  const rows = read.slice(0, PAGE_SIZE);
  const last = rows.at(-1);
  return read.length > rows.length && last ? { rows, nextCursor: last.id } : { rows };
}

/** The ways to the other pages of a list: to its beginning, and on. Nothing where it has but one. `path` may have a query. */
export function Paging(props: { path: string; after: string | undefined; next: string | undefined }) {
  const { path, after, next } = props;
  if (!after && !next) return null;
  const onward = `${path}${path.includes("?") ? "&" : "?"}after=${next}`;
  return (
    <nav class="paging" aria-label="Pages of this list">
      {after && (
        <a href={path} rel="first">
          First page
        </a>
      )}
      {next && (
        <a href={onward} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
