import type { IncomingHttpHeaders } from "node:http";

export interface Validators {
  /** A strong entity tag with its quotes. */
  etag?: string;
  /** The time of the last change, without milliseconds. */
  modified?: Date;
}

/** The positions of the first and last byte of a part. */
export interface Range {
  first: number;
  last: number;
}

/** Evaluates the conditions of a GET (RFC 9110, 13.2.2). Returns undefined if the answer is a 200. */
export function unmetCondition(headers: IncomingHttpHeaders, { etag, modified }: Validators): 304 | 412 | undefined {
  const match = headers["if-match"];
  const before = parseDate(headers["if-unmodified-since"]);
  if (match !== undefined) {
    if (!matches(match, etag)) return 412;
  } else if (before !== undefined && modified && modified.getTime() > before) return 412;
  const noneMatch = headers["if-none-match"];
  if (noneMatch !== undefined) return matches(noneMatch.replaceAll("W/", ""), etag) ? 304 : undefined;
  const since = parseDate(headers["if-modified-since"]);
  return since !== undefined && modified && modified.getTime() <= since ? 304 : undefined;
}

// A single range. If a request names several, the whole document is sent, which RFC 9110 allows.
const RANGE = /^bytes=[ \t]*(\d*)-(\d*)$/i;

/** The range that a GET requests of a body of `size` bytes. Returns undefined for the whole, and null if the range is outside. */
export function parseRange(headers: IncomingHttpHeaders, size: number, state: Validators): Range | null | undefined {
  const [, first = "", last = ""] = RANGE.exec(headers.range ?? "") ?? [];
  if ((first === "" && last === "") || !isUnchanged(headers["if-range"], state)) return undefined;
  if (first === "") return Number(last) === 0 ? null : { first: Math.max(0, size - Number(last)), last: size - 1 };
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return null;
  return { first: Number(first), last: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}

function isUnchanged(ifRange: IncomingHttpHeaders["if-range"], { etag, modified }: Validators): boolean {
  if (ifRange === undefined) return true;
  const state = String(ifRange);
  return state === etag || (modified !== undefined && parseDate(state) === modified.getTime());
}

/** Whether a list of entity tags contains this one. `*` matches any. */
function matches(list: string, etag: string | undefined): boolean {
  return list.trim() === "*" || list.split(",").some((tag) => tag.trim() === etag);
}

const DAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** Parses an HTTP date in any of its three formats. Returns undefined for anything else, which is ignored. */
function parseDate(text: string | undefined): number | undefined {
  if (text === undefined || !DAY.test(text)) return undefined;
  // The asctime format has no time zone.
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
