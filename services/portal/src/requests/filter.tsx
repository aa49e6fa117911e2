import { ID_FIELD, SEARCH_FIELD } from "@shipping/api/input/fields";
import { visible } from "@shipping/api/input/text";
import { ABORTED, codesOf, type WantedRequests } from "@shipping/api/request-status";
import { isId } from "@shipping/kit/ids";
import { errors } from "@shipping/proto/errors";
import type { Key } from "@shipping/proto/shipping/access/v1/access_pb";
import type { ComponentChildren } from "preact";
import { keyName } from "../keys/key-name.js";
import { ALL, Choice, Form, Input } from "../page/form.js";
import { pagingQuery, readCursor } from "../page/paging.js";
import {
  FilterFold,
  readZone,
  TIME_PARAMETER,
  TimeField,
  toInstant,
  toLocal,
  ZoneField,
  zoneQuery,
} from "../page/zone.js";

/** The filter of the request list. Invalid values are ignored. */
export interface RequestFilter extends WantedRequests {
  /** An ID or idempotency key to search for. It replaces all other filters. */
  text?: string;
  /** The zone in which `from` and `until` are shown; undefined without them. */
  zone?: string | undefined;
}

const METHODS = ["POST", "DELETE", "GET", "HEAD"];
const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

export const requestsQuery = {
  q: SEARCH_FIELD,
  status: { maxLength: 50 },
  method: { maxLength: 10 },
  key: ID_FIELD,
  from: TIME_PARAMETER,
  until: TIME_PARAMETER,
  ...zoneQuery,
  ...pagingQuery,
};

export function readFilter(query: URLSearchParams): RequestFilter {
  const text = (query.get("q") ?? "").replaceAll("\0", "").trim();
  const after = readCursor(query, "req");
  if (text) return { text, after };
  const status = query.get("status") ?? "";
  const method = query.get("method") ?? "";
  const keyId = query.get("key") ?? "";
  const zone = readZone(query);
  const [from, until] = [readMinute(query.get("from"), zone), readMinute(query.get("until"), zone)];
  return {
    status: status === "2xx" || codesOf(status) ? status : undefined,
    method: METHODS.includes(method) ? method : undefined,
    keyId: isId("key", keyId) ? keyId : undefined,
    from,
    until,
    zone: from || until ? zone : undefined,
    after,
  };
}

/** The filter in the form that the gateway takes. */
export function toWanted({ status, method, keyId, from, until, after }: WantedRequests) {
  return { status, method, keyId, from: from?.toISOString(), until: until?.toISOString(), after };
}

export function isFiltered({ after: _, ...filter }: RequestFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** The filters behind the button. A text, which has its own field, replaces them. */
function countFilters({ status, method, keyId, from, until }: RequestFilter): number {
  return [status, method, keyId, from, until].filter((value) => value !== undefined).length;
}

export function toPath(list: string, filter: RequestFilter): string {
  const { text, status, method, keyId, zone, after } = filter;
  const [from, until] = [formatMinute(filter.from, zone), formatMinute(filter.until, zone)];
  const pairs = { q: text, status, method, key: keyId, from, until, zone, after };
  const query = new URLSearchParams(Object.entries(pairs).filter((pair): pair is [string, string] => Boolean(pair[1])));
  return query.size > 0 ? `${list}?${query}` : list;
}

/** The value of `<input type="datetime-local">`. */
function formatMinute(time: Date | undefined, zone = "UTC"): string | undefined {
  return time && toLocal(time, zone).slice(0, 16);
}

function readMinute(text: string | null, zone: string): Date | undefined {
  if (!text || !MINUTE.test(text)) return undefined;
  const time = toInstant(text.slice(0, 16), zone);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

const CLASSES = [
  ["2xx", "2xx Successful"],
  ["4xx", "4xx Client errors"],
  ["5xx", "5xx Server errors"],
  [ABORTED, "Client disconnected"],
] as const;
const CODES = Object.entries(errors).map(([code, { status }]) => [code, `${status} ${code}`] as const);

export function FilterForm(props: {
  list: string;
  filter: RequestFilter;
  keys: readonly Key[];
  children: ComponentChildren;
}) {
  const { list, filter, keys, children } = props;
  const { status = "", keyId } = filter;
  // A link may filter by a status such as 409, which includes several codes, or by a key that is not listed.
  const number = /^\d+$/.test(status) ? [[status, status] as const] : [];
  const keyChoices = keys.map((key): readonly [string, string] => [
    key.id,
    `${visible(keyName(key))} …${key.lastFour}`,
  ]);
  if (keyId && !keys.some(({ id }) => id === keyId)) keyChoices.push([keyId, keyId]);
  return (
    <Form fields={requestsQuery} class="filter" method="get" action={list}>
      <Input
        type="search"
        name="q"
        value={filter.text}
        aria-label="Request ID, idempotency key or resource ID"
        placeholder="Request ID, idempotency key or resource ID"
      />
      <button type="submit">Search</button>
      <FilterFold used={countFilters(filter)} clear={list}>
        <Choice name="status" label="Status" chosen={status} options={[ALL, ...CLASSES, ...number, ...CODES]} />
        <Choice
          name="method"
          label="Method"
          chosen={filter.method}
          options={[ALL, ...METHODS.map((method) => [method, method] as const)]}
        />
        <Choice name="key" label="API key" chosen={keyId} options={[ALL, ...keyChoices]} />
        <ZoneField zone={filter.zone} />
        {(["from", "until"] as const).map((name) => (
          <TimeField
            name={name}
            label={name === "from" ? "From" : "Until"}
            type="datetime-local"
            value={formatMinute(filter[name], filter.zone)}
            zone={filter.zone}
          />
        ))}
      </FilterFold>
      {children}
    </Form>
  );
}
