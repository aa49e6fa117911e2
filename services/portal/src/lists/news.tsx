import type { Fields } from "@shipping/api/input/fields";
import type { FileAnswer } from "../page/page.js";
import { withParameters } from "../page/paging.js";

/** The query of a list's news: its filters, and what the page shows. */
export const newsQuery = (fields: Fields): Fields => ({ ...fields, since: { maxLength: 24 } });

/** How many new rows are counted. */
export const MAX_NEWS = 100;

/**
 * Above the rows of a list: the script asks at `path` now and then whether the list has changed, and says so here, with a link to the list as it is
 * then. Without a script, nothing is shown.
 */
export function News({ path, since, what }: { path: string; since: string; what: string }) {
  return <p class="news" role="status" data-news={withParameters(path, { since })} data-what={what} />;
}

/** The time after which rows are new: that of the newest row, or of the page if it has none. */
export const toSince = (newest: string | undefined, now: Date) => newest ?? now.toISOString();

/**
 * The earliest time of a row that is newer than the page, as `News` has sent it, and not before `from`, where the filter begins. It is undefined if
 * the page has sent no time.
 */
export function readSince(query: URLSearchParams, from = ""): string | undefined {
  const at = Date.parse(query.get("since") ?? "");
  if (Number.isNaN(at)) return undefined;
  const [, later] = [new Date(at + 1).toISOString(), from].sort();
  return later;
}

/** The answer that the script reads: how many rows are new, or whether other facts have changed. */
export function newsAnswer(news: { count: number } | { changed: boolean }): FileAnswer {
  return { content: async () => ({ type: "application/json", body: Buffer.from(JSON.stringify(news)) }) };
}
