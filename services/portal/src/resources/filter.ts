import { SEARCH_FIELD } from "@shipping/api/input/fields";
import { isCountry } from "../lists/countries.js";
import { isOldestFirst, OLDEST, orderQuery } from "../lists/list-order.js";
import { PAGE_SIZE, pagingQuery, readCursor, withParameters } from "../page/paging.js";
import type { Order } from "../page/table.js";
import { readZone, TIME_PARAMETER, toInstant, toLocal, zoneQuery } from "../page/zone.js";
import type { Wanted } from "./find-resources.js";

export type ListedKind = "orders" | "shipments" | "labels";

/** Every state of the listed resource, and the prefix of its IDs. */
export const KINDS: Readonly<Record<ListedKind, { statuses: readonly string[]; prefix: string }>> = {
  orders: { statuses: ["received"], prefix: "ord" },
  shipments: { statuses: ["draft", "label_created", "voided"], prefix: "shp" },
  labels: { statuses: ["created", "voided"], prefix: "lbl" },
};

/** The days of quick filters, and the states of each list that have one. */
export const QUICK_DAYS = { today: "Today", yesterday: "Yesterday" };
export const QUICK_STATES: Record<ListedKind, Readonly<Record<string, string>>> = {
  shipments: { draft: "Without label", voided: "Voided" },
  orders: {},
  labels: { voided: "Voided" },
};

export const SIZES = [25, PAGE_SIZE, 100];

/** The query of a list, and of its file. */
export const listQuery = {
  q: SEARCH_FIELD,
  status: { maxLength: 30 },
  from: TIME_PARAMETER,
  to: TIME_PARAMETER,
  /** Instead of days: `today` or `yesterday`, in the zone. */
  day: { maxLength: 9 },
  country: { maxLength: 2 },
  failing: { maxLength: 1 },
  ...orderQuery,
  ...zoneQuery,
  size: { maxLength: 3 },
  ...pagingQuery,
};

/** The values of the form above a list. Missing and invalid values are empty. */
export interface Filter {
  text: string;
  status: string;
  /** Days such as `2026-11-21`, in `zone`; both are included. */
  from: string;
  to: string;
  /** Empty without days. */
  zone: string;
  /** A country of the recipient, such as `DE`. Only shipments have one. */
  country: string;
  /** Only those with an event whose delivery has failed and is tried again. A text is not combined with it. */
  failing: boolean;
  /** A text finds the newest first. */
  oldestFirst: boolean;
  /** Rows on a page. */
  size: number;
  after: string | undefined;
}

const DAY_MS = 86_400_000;
// Has no upper limit: JavaScript writes the year of the following day as +010000, which PostgreSQL does not parse.
const LAST_DAY = "9999-12-31";

const DAYS = { today: 0, yesterday: 1 } as const;

/** Reads the filter from the query. */
export function readFilter(query: URLSearchParams, { kind, now }: { kind: ListedKind; now: Date }): Filter {
  const { statuses, prefix } = KINDS[kind];
  const size = Number(query.get("size"));
  const status = query.get("status") ?? "";
  const day = query.get("day") ?? "";
  const named = Object.hasOwn(DAYS, day) ? daysAgo(DAYS[day as keyof typeof DAYS], now, readZone(query)) : undefined;
  const [from, to] = [named ?? readDay(query.get("from")), named ?? readDay(query.get("to"))];
  const text = query.get("q")?.trim() ?? "";
  const country = query.get("country") ?? "";
  return {
    text,
    country: kind === "shipments" && isCountry(country) ? country : "",
    failing: text === "" && query.get("failing") === "1",
    oldestFirst: text === "" && isOldestFirst(query),
    status: statuses.includes(status) ? status : "",
    from,
    to,
    zone: from || to ? readZone(query) : "",
    size: SIZES.includes(size) ? size : PAGE_SIZE,
    after: readCursor(query, prefix),
  };
}

/** A day of the zone, such as `2026-11-21`. Noon is on the same day however clocks change. */
function daysAgo(days: number, now: Date, zone: string): string {
  const noon = Date.parse(`${toLocal(now, zone).slice(0, 10)}T12:00Z`);
  return new Date(noon - days * DAY_MS).toISOString().slice(0, 10);
}

// A day of the Gregorian calendar from 1900 on with a year of four digits, as `<input type="date">` sends it.
function readDay(text: string | null): string {
  if (!text || !/^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/.test(text)) return "";
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? "" : text;
}

/** The filter in the form that `findOrders` and its siblings take. */
export function toWanted(filter: Filter): Wanted {
  const { text, status, from, to, zone, country, failing, oldestFirst, size, after } = filter;
  const begin = (day: string, days: number) =>
    toInstant(new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 16), zone).toISOString();
  return {
    ...(text && { text }),
    ...(status && { status }),
    ...(from && { createdFrom: begin(from, 0) }),
    ...(to && to !== LAST_DAY && { createdBefore: begin(to, 1) }),
    ...(country && { country }),
    ...(failing && { failing }),
    ...(oldestFirst && { oldestFirst }),
    ...(after && { after }),
    limit: size,
  };
}

export function isFiltered({ text, status, from, to, country, failing }: Filter): boolean {
  return failing || [text, status, from, to, country].some((value) => value !== "");
}

/** The filter as parameters of the query. A zone applies only to days, so it is left out without them. */
export function toParameters(filter: Filter): [name: string, value: string][] {
  const { text: q, status, from, to, country } = filter;
  const [zone, failing, order] = [
    from || to ? filter.zone : "",
    filter.failing ? "1" : "",
    filter.oldestFirst ? OLDEST : "",
  ];
  return Object.entries({ q, status, from, to, zone, country, failing, order }).filter(([, value]) => value !== "");
}

export function toPath(path: string, filter: Filter): string {
  const given = toParameters(filter);
  if (filter.size !== PAGE_SIZE) given.push(["size", String(filter.size)]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The filters behind the button: a text has its own field. */
export function countFilters({ status, from, to, country }: Filter): number {
  return [status, from, to, country].filter((value) => value !== "").length;
}

/** The path of the list on a day that has a name. The script adds the reader's zone. */
export function withDay(path: string, filter: Filter, day: string): string {
  return withParameters(toPath(path, { ...filter, from: "", to: "" }), { day });
}

/** The order of a list by the column Created, which an index serves in both directions; undefined if a text is searched for. */
export function toOrder(path: string, filter: Filter): Order | undefined {
  if (filter.text) return undefined;
  const { oldestFirst } = filter;
  return {
    column: "Created",
    ascending: oldestFirst,
    opposite: toPath(path, { ...filter, oldestFirst: !oldestFirst }),
  };
}
