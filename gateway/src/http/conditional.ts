import type { IncomingHttpHeaders } from "node:http";

/** The validators of a resource's state. */
export interface Validators {
  /** A strong one, with its quotes. */
  etag?: string;
  /** Without milliseconds. */
  modified?: Date;
}

/** A part of a body, by the places of its first and its last byte. */
export interface Range {
  first: number;
  last: number;
}

/** The status with which the conditions of a GET replace its 200 (RFC 9110, 13.2.2); undefined if they hold. */
export function unmetCondition(headers: IncomingHttpHeaders, { etag, modified }: Validators): 304 | 412 | undefined {
  const match = headers["if-match"];
  const before = dateOf(headers["if-unmodified-since"]);
  if (match !== undefined) {
    if (!names(match, etag)) return 412;
  } else if (before !== undefined && modified && modified.getTime() > before) return 412;
  const noneMatch = headers["if-none-match"];
  if (noneMatch !== undefined) return names(noneMatch.replaceAll("W/", ""), etag) ? 304 : undefined;
  const since = dateOf(headers["if-modified-since"]);
  return since !== undefined && modified && modified.getTime() <= since ? 304 : undefined;
}

// One range. Of several, which a server may ignore, the whole is sent.
const RANGE = /^bytes=[ \t]*(\d*)-(\d*)$/i;

/** The part of a body of `size` bytes that a GET asks for; undefined: the whole, null: a part that it does not have. */
export function rangeIn(headers: IncomingHttpHeaders, size: number, validators: Validators): Range | null | undefined {
  const [, first = "", last = ""] = RANGE.exec(headers.range ?? "") ?? [];
  if ((first === "" && last === "") || !isUnchanged(headers["if-range"], validators)) return undefined;
  if (first === "") return last === "0" ? null : { first: Math.max(0, size - Number(last)), last: size - 1 };
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return null;
  return { first: Number(first), last: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}

function isUnchanged(ifRange: IncomingHttpHeaders["if-range"], { etag, modified }: Validators): boolean {
  if (ifRange === undefined) return true;
  const state = String(ifRange);
  return state === etag || (modified !== undefined && dateOf(state) === modified.getTime());
}

/** True if a list of entity tags contains this one. `*` matches whatever there is. */
function names(list: string, etag: string | undefined): boolean {
  return list.trim() === "*" || list.split(",").some((tag) => tag.trim() === etag);
}

const DAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** The time that an HTTP date names, in any of its three forms; undefined for anything else, which counts as not sent. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !DAY.test(text)) return undefined;
  // The form of C's asctime names no zone.
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
