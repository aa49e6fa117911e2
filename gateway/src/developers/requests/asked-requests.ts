import { isId } from "@shipping/kit/ids";
import { codesOf, type WantedRequests } from "../../request-log/list-requests.js";
import { cursorOf } from "../page/paging.js";

/** The filter of a list of requests. Values that cannot be understood are left out. */
export interface AskedRequests extends WantedRequests {
  /** An id or an idempotency key to look for, in place of the rest. */
  sought?: string;
}

export const METHODS = ["POST", "DELETE", "GET"];

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const MAX_CHARACTERS = 200;

/** Reads it from the address. */
export function askedRequests(query: URLSearchParams): AskedRequests {
  const sought = (query.get("q") ?? "").replaceAll("\0", "").trim().slice(0, MAX_CHARACTERS);
  const after = cursorOf(query, "req");
  if (sought) return { sought, after };
  const status = query.get("status") ?? "";
  const method = query.get("method") ?? "";
  const keyId = query.get("key") ?? "";
  return {
    status: status === "2xx" || codesOf(status) ? status : undefined,
    method: METHODS.includes(method) ? method : undefined,
    keyId: isId("key", keyId) ? keyId : undefined,
    from: minuteOf(query.get("from")),
    until: minuteOf(query.get("until")),
    after,
  };
}

/** True if the filter leaves anything out. */
export function isNarrowed({ after: _, ...filters }: AskedRequests): boolean {
  return Object.values(filters).some((filter) => filter !== undefined);
}

/** The address of a page that asks for it. */
export function addressOf(list: string, asked: AskedRequests): string {
  const { sought, status, method, keyId, from, until, after } = asked;
  const pairs = { q: sought, status, method, key: keyId, from: minuteIn(from), until: minuteIn(until), after };
  const query = new URLSearchParams(Object.entries(pairs).filter((pair): pair is [string, string] => Boolean(pair[1])));
  return query.size > 0 ? `${list}?${query}` : list;
}

/** A time as an input of the browser has it, in UTC. */
export function minuteIn(time: Date | undefined): string | undefined {
  return time?.toISOString().slice(0, 16);
}

function minuteOf(text: string | null): Date | undefined {
  if (!text || !MINUTE.test(text)) return undefined;
  const time = new Date(`${text.slice(0, 16)}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
