import { ID_FIELD } from "@shipping/api/input/fields";
import { isId } from "@shipping/kit/ids";

export const PAGE_SIZE = 50;

/** How many earlier pages a page remembers. Their cursors are in its URL. */
const MAX_BACK = 60;
const SEPARATOR = ".";
/** Stands for the first page, which has no cursor. */
const FIRST = "-";

/** The query of a list. */
export const pagingQuery = { after: ID_FIELD, back: { maxLength: MAX_BACK * (ID_FIELD.maxLength + 1) } };

/** The path, which may have a query, with further parameters. */
export function withParameters(path: string, parameters: Readonly<Record<string, string>>): string {
  const added = String(new URLSearchParams(parameters));
  if (added === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${added}`;
}

/** The ID after which the page of a list begins: `after` in the query, if it is an ID with this prefix. */
export function readCursor(query: URLSearchParams, prefix: string): string | undefined {
  const after = query.get("after") ?? "";
  return isId(prefix, after) ? after : undefined;
}

/** The cursors of the pages before, the latest last. It is empty if they are not known. */
function readBack(query: URLSearchParams): string[] {
  const cursors = (query.get("back") ?? "").split(SEPARATOR);
  return cursors.filter((cursor) => cursor === FIRST || /^[a-z]{3}_[a-z2-7]{26}$/.test(cursor)).slice(-MAX_BACK);
}

/** Makes a page from up to `PAGE_SIZE + 1` rows. The extra row is not shown: it says that there is a next page. */
export function toPage<Row extends { id: string }>(read: readonly Row[]): { rows: Row[]; nextCursor?: string } {
  const rows = read.slice(0, PAGE_SIZE);
  const last = rows.at(-1);
  return read.length > rows.length && last ? { rows, nextCursor: last.id } : { rows };
}

/**
 * Links to the first, the previous and the next page of a list. Renders nothing if the list fits on one page. `path` may have a query. Lists are
 * only read forwards, so the `query` of a page says where the pages before it began.
 */
export function Paging(props: {
  path: string;
  query: URLSearchParams;
  after: string | undefined;
  next: string | undefined;
  nextWords?: string;
}) {
  const { path, query, after, next, nextWords = "Next page" } = props;
  if (!after && !next) return null;
  const back = readBack(query);
  const to = (cursor: string | undefined, before: readonly string[]) =>
    cursor === undefined || cursor === FIRST
      ? path
      : withParameters(path, { after: cursor, ...(before.length > 0 && { back: before.join(SEPARATOR) }) });
  const beforeNext = after ? (back.length > 0 ? [...back, after] : []) : [FIRST];
  return (
    <nav class="paging" aria-label="Pages of this list">
      {after && back.length !== 1 && (
        <a href={path} rel="first">
          First page
        </a>
      )}
      {after && back.length > 0 && (
        <a href={to(back.at(-1), back.slice(0, -1))} rel="prev">
          Previous page
        </a>
      )}
      {next && (
        <a href={to(next, beforeNext.slice(-MAX_BACK))} rel="next">
          {nextWords}
        </a>
      )}
    </nav>
  );
}
