import { isId } from "@shipping/kit/ids";

/** How much of a list one page shows. */
export const PAGE_SIZE = 50;

/** The id after which a page of a list begins, if the query names one of that kind. */
export function cursorOf(query: URLSearchParams, prefix: string): string | undefined {
  const after = query.get("after") ?? "";
  return isId(prefix, after) ? after : undefined;
}

/** The ways to the other pages of a list: to its beginning, and on. Nothing where it has but one. */
export function Paging(props: { path: string; after: string | undefined; next: string | undefined }) {
  const { path, after, next } = props;
  if (!after && !next) return null;
  return (
    <nav class="paging" aria-label="Pages of this list">
      {after && (
        <a href={path} rel="first">
          First page
        </a>
      )}
      {next && (
        <a href={`${path}?after=${next}`} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
