import type { ComponentChildren } from "preact";
import { Note } from "../page/text.js";
import { type Filter, narrows } from "./filter.js";
import { STATUSES } from "./status.js";

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
