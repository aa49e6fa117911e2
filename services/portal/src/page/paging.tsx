import { ID_FIELD } from "@shipping/api/input/fields";
import { isId } from "@shipping/kit/ids";

export const PAGE_SIZE = 50;

/** The query of a list. */
export const pagingQuery = { after: ID_FIELD };

/** The ID after which the page of a list begins: `after` in the query, if it is an ID with this prefix. */
export function readCursor(query: URLSearchParams, prefix: string): string | undefined {
  const after = query.get("after") ?? "";
  return isId(prefix, after) ? after : undefined;
}

/** Makes a page from up to `PAGE_SIZE + 1` rows. The extra row is not shown: it says that there is a next page. */
export function toPage<Row extends { id: string }>(read: readonly Row[]): { rows: Row[]; nextCursor?: string } {
  const rows = read.slice(0, PAGE_SIZE);
  const last = rows.at(-1);
  return read.length > rows.length && last ? { rows, nextCursor: last.id } : { rows };
}

/** Links to the first and the next page of a list. Renders nothing if the list fits on one page. `path` may have a query. */
export function Paging(props: {
  path: string;
  after: string | undefined;
  next: string | undefined;
  nextWords?: string;
}) {
  const { path, after, next, nextWords = "Next page" } = props;
  if (!after && !next) return null;
  return (
    <nav class="paging" aria-label="Pages of this list">
      {after && (
        <a href={path} rel="first">
          First page
        </a>
      )}
      {next && (
        <a href={`${path}${path.includes("?") ? "&" : "?"}after=${next}`} rel="next">
          {nextWords}
        </a>
      )}
    </nav>
  );
}
