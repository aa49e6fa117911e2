import { SEARCH_FIELD } from "@shipping/api/input/fields";
import type { ComponentChildren } from "preact";
import { ALL, Choice, Form, HiddenField, Input } from "../page/form.js";
import { AREA_PATH, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, pagingQuery, readCursor } from "../page/paging.js";
import { isMissing, MissingPart, type Part } from "../page/part.js";
import { Notice, Text } from "../page/text.js";
import { readZone, TIME_PARAMETER, TimeField, toInstant, ZoneField, zoneQuery } from "../page/zone.js";
import type { FoundPage, Wanted } from "./find-resources.js";
import { SEARCH_HINTS } from "./further-fields.js";
import { STATUSES } from "./record-table.js";

export type ListedKind = "orders" | "shipments" | "labels";

/** Every state of the listed resource, and the prefix of its IDs. */
const KINDS: Readonly<Record<ListedKind, { statuses: readonly string[]; prefix: string }>> = {
  orders: { statuses: ["received"], prefix: "ord" },
  shipments: { statuses: ["draft", "label_created", "voided"], prefix: "shp" },
  labels: { statuses: ["created", "voided"], prefix: "lbl" },
};

const SIZES = [25, PAGE_SIZE, 100];

/** The query of a list, and of its file. */
export const listQuery = {
  q: SEARCH_FIELD,
  status: { maxLength: 30 },
  from: TIME_PARAMETER,
  to: TIME_PARAMETER,
  ...zoneQuery,
  size: { maxLength: 3 },
  ...pagingQuery,
};

/** The values of the form above a list. Missing and invalid values are empty. */
interface Filter {
  text: string;
  status: string;
  /** Days such as `2026-11-21`, in `zone`; both are included. */
  from: string;
  to: string;
  /** Empty without days. */
  zone: string;
  /** Rows on a page. */
  size: number;
  after: string | undefined;
}

const DAY_MS = 86_400_000;
// Has no upper limit: JavaScript writes the year of the following day as +010000, which PostgreSQL does not parse.
const LAST_DAY = "9999-12-31";

/** Reads the filter from the query. */
export function readFilter(query: URLSearchParams, { kind }: { kind: ListedKind }): Filter {
  const { statuses, prefix } = KINDS[kind];
  const size = Number(query.get("size"));
  const status = query.get("status") ?? "";
  const [from, to] = [readDay(query.get("from")), readDay(query.get("to"))];
  return {
    text: query.get("q")?.trim() ?? "",
    status: statuses.includes(status) ? status : "",
    from,
    to,
    zone: from || to ? readZone(query) : "",
    size: SIZES.includes(size) ? size : PAGE_SIZE,
    after: readCursor(query, prefix),
  };
}

// A day of the Gregorian calendar from 1900 on with a year of four digits, as `<input type="date">` sends it.
function readDay(text: string | null): string {
  if (!text || !/^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/.test(text)) return "";
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? "" : text;
}

/** The filter in the form that `findOrders` and its siblings take. */
export function toWanted({ text, status, from, to, zone, size, after }: Filter): Wanted {
  const begin = (day: string, days: number) =>
    toInstant(new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 16), zone).toISOString();
  return {
    ...(text && { text }),
    ...(status && { status }),
    ...(from && { createdFrom: begin(from, 0) }),
    ...(to && to !== LAST_DAY && { createdBefore: begin(to, 1) }),
    ...(after && { after }),
    limit: size,
  };
}

export function isFiltered({ text, status, from, to }: Filter): boolean {
  return [text, status, from, to].some((value) => value !== "");
}

/** The filter as parameters of the query. A zone applies only to days, so it is left out without them. */
export function toParameters({ text: q, status, from, to, zone: named }: Filter): [name: string, value: string][] {
  const zone = from || to ? named : "";
  return Object.entries({ q, status, from, to, zone }).filter(([, value]) => value !== "");
}

export function toPath(path: string, filter: Filter): string {
  const given = toParameters(filter);
  if (filter.size !== PAGE_SIZE) given.push(["size", String(filter.size)]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

interface FilteredListProps {
  what: ListedKind;
  request: PageRequest;
  filter: Filter;
  page: Part<FoundPage>;
  empty: ComponentChildren;
  children: ComponentChildren;
}

export function FilteredList(props: FilteredListProps) {
  const { what, request, filter, page } = props;
  const path = `${AREA_PATH}/${request.environment}/${what}`;
  return (
    <>
      <h1>{request.environment === "live" ? `Live ${what}` : `Sandbox ${what}`}</h1>
      <FilterForm path={path} filter={filter} what={what} />
      <FilterChips path={path} filter={filter} />
      {isMissing(page) ? (
        <MissingPart what={`The ${what} cannot be shown.`} request={request} />
      ) : (
        <FoundRows {...props} page={page} path={path} />
      )}
    </>
  );
}

function FoundRows(props: FilteredListProps & { page: FoundPage; path: string }) {
  const { what, filter, page, path, empty, children } = props;
  return (
    <>
      {page.incomplete && (
        <Notice kind="hint">
          Not everything was searched. Enter more words, or choose days, to narrow the search.
        </Notice>
      )}
      {page.found.length > 0 ? (
        children
      ) : (
        <div class="empty">
          {filter.after || isFiltered(filter) ? (
            <>
              <p>No matching {what}.</p>
              <a href={path}>Show all</a>
            </>
          ) : (
            empty
          )}
        </div>
      )}
      <Paging path={toPath(path, filter)} after={filter.after} next={page.nextCursor} />
      {page.found.length > 0 && <ListActions path={path} filter={filter} />}
    </>
  );
}

/** The filters in use, each with a link to the list without it. The URL of the page has the same filters, so it can be shared. */
function FilterChips({ path, filter }: { path: string; filter: Filter }) {
  const { text, status, from, to } = filter;
  const chips: [string, Partial<Filter>][] = [];
  if (text) chips.push([`“${text}”`, { text: "" }]);
  if (status) chips.push([STATUSES[status]?.words ?? status, { status: "" }]);
  if (from) chips.push([`From ${from}`, { from: "" }]);
  if (to) chips.push([`Until ${to}`, { to: "" }]);
  if (chips.length === 0) return null;
  return (
    <ul class="chips filters" aria-label="Filters">
      {chips.map(([words, without]) => (
        <li>
          <a href={toPath(path, { ...filter, ...without })} title="Remove this filter">
            <Text>{words}</Text>
            <span aria-hidden="true"> ×</span>
            <span class="unseen">, remove this filter</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Below a list: the number of rows on a page, and all rows as a file. */
function ListActions({ path, filter }: { path: string; filter: Filter }) {
  return (
    <p class="list-actions">
      <span>
        Rows per page:{" "}
        {SIZES.map((size) => (
          <a href={toPath(path, { ...filter, size })} aria-current={size === filter.size ? "true" : undefined}>
            {size}
          </a>
        ))}
      </span>
      <a href={toPath(`${path}/csv`, { ...filter, size: PAGE_SIZE })} download>
        Download as CSV
      </a>
      <span class="hint">The filtered rows, newest first, up to 10,000.</span>
    </p>
  );
}

function FilterForm({ path, filter, what }: { path: string; filter: Filter; what: ListedKind }) {
  const { statuses } = KINDS[what];
  const zone = filter.zone || undefined;
  return (
    <Form fields={listQuery} class="filter" method="get" action={path}>
      {filter.size !== PAGE_SIZE && <HiddenField name="size" value={filter.size} />}
      <div class="field wide">
        <label for="q">Search</label>
        <Input type="search" id="q" name="q" value={filter.text} autocomplete="off" aria-describedby="q-hint" />
        <p class="hint" id="q-hint">
          {SEARCH_HINTS[what]}
        </p>
      </div>
      {statuses.length > 1 && (
        <Choice
          name="status"
          label="Status"
          chosen={filter.status}
          options={[ALL, ...statuses.map((status) => [status, STATUSES[status]?.words ?? status] as const)]}
        />
      )}
      <ZoneField zone={filter.zone} />
      <TimeField name="from" label="Created on or after" type="date" value={filter.from} zone={zone} />
      <TimeField name="to" label="Created on or before" type="date" value={filter.to} zone={zone} />
      <div class="field send">
        <button type="submit">Search</button>
        {isFiltered(filter) && <a href={path}>Clear</a>}
      </div>
    </Form>
  );
}
