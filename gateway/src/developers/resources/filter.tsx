import type { ComponentChildren } from "preact";
import { cursorOf } from "../page/paging.js";
import { Note } from "../page/text.js";
import type { Wanted } from "./find-resources.js";
import { STATUSES } from "./record-table.js";

/** The values of the form above a list. Invalid values are empty. */
interface Filter {
  text: string;
  status: string;
  /** Days, `2026-11-21`, both included, in UTC. */
  from: string;
  to: string;
  /** The id that the page begins after. */
  after: string | undefined;
}

const DAY_MS = 86_400_000;
/** Until then is until any time: the day after has a year that PostgreSQL does not read as JavaScript writes it. */
const LAST_DAY = "9999-12-31";

/** Reads the filter of a list whose resources have these statuses and ids of that prefix. */
export function filterIn(
  query: URLSearchParams,
  { statuses, prefix }: { statuses: readonly string[]; prefix: string },
): Filter {
  const status = query.get("status") ?? "";
  return {
    text: query.get("q")?.trim() ?? "",
    status: statuses.includes(status) ? status : "",
    from: dayIn(query.get("from")),
    to: dayIn(query.get("to")),
    after: cursorOf(query, prefix),
  };
}

/** The filter as the service takes it. */
export function wantedBy({ text, status, from, to, after }: Filter): Wanted {
  return {
    ...(text && { text }),
    ...(status && { status }),
    ...(from && { createdFrom: new Date(from).toISOString() }),
    ...(to && to !== LAST_DAY && { createdBefore: new Date(Date.parse(to) + DAY_MS).toISOString() }),
    ...(after && { after }),
  };
}

/** True if the filter leaves anything out. */
export function narrows({ text, status, from, to }: Filter): boolean {
  return [text, status, from, to].some((value) => value !== "");
}

/** The path of the list's first page under the same filter. */
export function pathUnder(path: string, { text: q, status, from, to }: Filter): string {
  const given = Object.entries({ q, status, from, to }).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

// The Gregorian calendar's days of four-digit years, as `<input type="date">` sends them.
function dayIn(text: string | null): string {
  if (!text || !/^[1-9]\d{3}-\d{2}-\d{2}$/.test(text)) return "";
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? "" : text;
}

/** The form above a list: a search, a status and a time, all at once. */
export function FilterForm(props: { path: string; filter: Filter; statuses: readonly string[]; searched: string }) {
  const { path, filter, statuses, searched } = props;
  return (
    <form class="filter" method="get" action={path}>
      <div class="field wide">
        <label for="q">Search</label>
        <input
          type="search"
          id="q"
          name="q"
          value={filter.text}
          maxLength={200}
          autocomplete="off"
          aria-describedby="q-hint"
        />
        <p class="hint" id="q-hint">
          {searched}
        </p>
      </div>
      {statuses.length > 1 && (
        <div class="field">
          <label for="status">Status</label>
          <select id="status" name="status">
            <option value="">Any</option>
            {statuses.map((status) => (
              <option value={status} selected={status === filter.status}>
                {STATUSES[status]?.words ?? status}
              </option>
            ))}
          </select>
        </div>
      )}
      <div class="field">
        <label for="from">Created on or after (UTC)</label>
        <input type="date" id="from" name="from" value={filter.from} />
      </div>
      <div class="field">
        <label for="to">Created on or before (UTC)</label>
        <input type="date" id="to" name="to" value={filter.to} />
      </div>
      <div class="field send">
        <button type="submit">Search</button>
        {narrows(filter) && <a href={path}>Clear</a>}
      </div>
    </form>
  );
}

/** Says that a text begins more than is looked at. */
export function Incomplete({ shown }: { shown: boolean }) {
  if (!shown) return null;
  return (
    <Note kind="hint">
      <p>
        More than 500 records match, and only 500 of them were searched. Enter more characters to narrow the search.
      </p>
    </Note>
  );
}

/** Shown instead of an empty list: nothing matches, or what to do first. */
export function Nothing(props: { filter: Filter; what: string; path: string; children: ComponentChildren }) {
  const { filter, what, path, children } = props;
  return (
    <div class="empty">
      {filter.after || narrows(filter) ? (
        <>
          <p>No matching {what}s.</p>
          <a href={path}>Show all</a>
        </>
      ) : (
        children
      )}
    </div>
  );
}
