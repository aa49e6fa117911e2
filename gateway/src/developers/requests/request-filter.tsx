import { isId } from "@shipping/kit/ids";
import { errors } from "@shipping/proto/errors";
import { codesOf, type WantedRequests } from "../../request-log/list-requests.js";
import { ABORTED } from "../../request-log/logged-request.js";
import { type ListedKeyOfPage, nameOf } from "../keys/keys.js";
import { cursorOf } from "../page/paging.js";
import { visible } from "../page/text.js";

const CLASSES = [
  ["2xx", "2xx Succeeded"],
  ["4xx", "4xx Refused"],
  ["5xx", "5xx Failed"],
  [ABORTED, "Closed by the client"],
] as const;
const CODES = Object.entries(errors).map(([code, { status }]) => [code, `${status} ${code}`] as const);

/** Looks for one thing by its id or key. */
export function RequestSearch({ list, asked }: { list: string; asked: AskedRequests }) {
  return (
    <search class="request-search">
      <form method="get" action={list}>
        <input
          type="search"
          name="q"
          value={asked.sought}
          aria-label="Request ID, idempotency key or resource ID"
          placeholder="Request ID, idempotency key or resource ID"
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** Narrows the list. */
export function RequestFilter(props: { list: string; asked: AskedRequests; keys: readonly ListedKeyOfPage[] }) {
  const { list, asked, keys } = props;
  const named = keys.map((key) => [key.id, `${visible(nameOf(key))} …${key.lastFour}`] as const);
  const isListed = !asked.keyId || keys.some(({ id }) => id === asked.keyId);
  return (
    <form class="request-filter" method="get" action={list} aria-label="Filter">
      <Choice name="status" label="Status" chosen={asked.status} options={[...CLASSES, ...statusOf(asked), ...CODES]} />
      <Choice name="method" label="Method" chosen={asked.method} options={METHODS.map((method) => [method, method])} />
      <Choice
        name="key"
        label="API key"
        chosen={asked.keyId}
        options={isListed ? named : [...named, [String(asked.keyId), String(asked.keyId)]]}
      />
      <Minute name="from" label="From (UTC)" time={asked.from} />
      <Minute name="until" label="Until (UTC)" time={asked.until} />
      <div class="actions">
        <button type="submit">Filter</button>
        {isNarrowed(asked) && <a href={list}>Clear</a>}
      </div>
    </form>
  );
}

/** An HTTP status that was asked for by its number, of which several codes may be. */
function statusOf({ status = "" }: AskedRequests): (readonly [string, string])[] {
  return /^\d+$/.test(status) ? [[status, status]] : [];
}

function Choice(props: {
  name: string;
  label: string;
  chosen: string | undefined;
  options: readonly (readonly [string, string])[];
}) {
  const { name, label, chosen = "", options } = props;
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">All</option>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Minute({ name, label, time }: { name: string; label: string; time: Date | undefined }) {
  return (
    <label>
      {label}
      <input type="datetime-local" name={name} value={minuteIn(time)} />
    </label>
  );
}

/** The filter of a list of requests. Values that cannot be understood are left out. */
export interface AskedRequests extends WantedRequests {
  /** An id or an idempotency key to look for, in place of the rest. */
  sought?: string;
}

const METHODS = ["POST", "DELETE", "GET"];

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
function minuteIn(time: Date | undefined): string | undefined {
  return time?.toISOString().slice(0, 16);
}

function minuteOf(text: string | null): Date | undefined {
  if (!text || !MINUTE.test(text)) return undefined;
  const time = new Date(`${text.slice(0, 16)}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
