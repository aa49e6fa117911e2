import { MAX_MATCHES } from "@shipping/kit/postgres/owned/search-owned";
import type { ComponentChildren } from "preact";
import { ALL, Choice, Form, HiddenField, Input } from "../page/form.js";
import { AREA_PATH, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging } from "../page/paging.js";
import { isMissing, MissingPart, type Part } from "../page/part.js";
import { Notice, Text } from "../page/text.js";
import { FilterFold, TimeField, ZoneField, ZoneName } from "../page/zone.js";
import {
  countFilters,
  type Filter,
  isFiltered,
  KINDS,
  type ListedKind,
  listQuery,
  SIZES,
  toPath,
  withDay,
} from "./filter.js";
import type { FoundPage } from "./find-resources.js";
import { SEARCH_HINTS } from "./further-fields.js";
import { LabelSelection, STATUSES } from "./record-table.js";

interface FilteredListProps {
  what: ListedKind;
  request: PageRequest;
  filter: Filter;
  page: Part<FoundPage>;
  empty: ComponentChildren;
  children: ComponentChildren;
}

/** The page of a list: its number of matches, search, filters, rows, and the links to other pages and to its file. */
export function FilteredList(props: FilteredListProps) {
  const { what, request, filter, page } = props;
  const path = `${AREA_PATH}/${request.environment}/${what}`;
  return (
    <>
      <h1>
        {request.environment === "live" ? `Live ${what}` : `Sandbox ${what}`}{" "}
        {!isMissing(page) && <Matches page={page} filter={filter} />}
      </h1>
      <FilterForm path={path} filter={filter} what={what} />
      <FilterChips path={path} filter={filter} what={what} />
      {isMissing(page) ? (
        <MissingPart what={`The ${what} cannot be shown.`} request={request} />
      ) : (
        <FoundRows {...props} page={page} path={path} />
      )}
    </>
  );
}

/** The number of matches: exact up to `MAX_MATCHES` for filters, and up to `MAX_MATCHES_OF_TEXT` for a text. */
function Matches({ page: { matches, found }, filter }: { page: FoundPage; filter: Filter }) {
  if (matches === undefined || found.length === 0) return null;
  const most = filter.text ? MAX_MATCHES.text : MAX_MATCHES.filter;
  const number = Math.min(matches, most).toLocaleString("en");
  return <span class="count">{matches > most ? `${number}+` : number}</span>;
}

function FoundRows(props: FilteredListProps & { page: FoundPage; path: string }) {
  const { what, request, filter, page, path, empty, children } = props;
  const { environment } = request;
  if (page.found.length === 0) {
    return (
      <>
        <div class="empty">
          {filter.after || isFiltered(filter) ? (
            <>
              <p>
                <strong>No matching {what}.</strong> Check the spelling, remove a filter, or look in the{" "}
                <a href={toPath(`${AREA_PATH}/${environment === "live" ? "sandbox" : "live"}/${what}`, filter)}>
                  {environment === "live" ? "sandbox" : "live environment"}
                </a>
                .
              </p>
              <a href={path}>Show all {what}</a>
            </>
          ) : (
            empty
          )}
        </div>
        {page.incomplete && <Incomplete />}
        <Paging path={toPath(path, filter)} query={request.query} after={filter.after} next={page.nextCursor} />
      </>
    );
  }
  const download = (
    <a
      class="button quiet"
      href={toPath(`${path}/csv`, { ...filter, size: PAGE_SIZE })}
      title="The filtered rows, newest first, up to 10,000"
      download
    >
      Export CSV
    </a>
  );
  return (
    <>
      {page.incomplete && <Incomplete />}
      {what === "orders" ? (
        <>
          <div class="list-bar">{download}</div>
          {children}
        </>
      ) : (
        <LabelSelection environment={environment} actions={download}>
          {children}
        </LabelSelection>
      )}
      <div class="list-foot">
        <Paging path={toPath(path, filter)} query={request.query} after={filter.after} next={page.nextCursor} />
        <p class="hint">
          Newest first. Times in <ZoneName />.
        </p>
        <Sizes path={path} filter={filter} />
      </div>
    </>
  );
}

function Incomplete() {
  return (
    <Notice kind="hint">Not everything was searched. Enter more words, or choose days, to narrow the search.</Notice>
  );
}

/** Below a list: the number of rows on a page. */
function Sizes({ path, filter }: { path: string; filter: Filter }) {
  return (
    <p class="sizes">
      Rows per page:{" "}
      {SIZES.map((size) => (
        <a href={toPath(path, { ...filter, size })} aria-current={size === filter.size ? "true" : undefined}>
          {size}
        </a>
      ))}
    </p>
  );
}

/** The days of quick filters, and the states of each list that have one. */
const QUICK_DAYS = { today: "Today", yesterday: "Yesterday" };
const QUICK_STATES: Record<ListedKind, Readonly<Record<string, string>>> = {
  shipments: { draft: "Without label", voided: "Voided" },
  orders: {},
  labels: { voided: "Voided" },
};

/** The filters in use, each with a link to the list without it, and quick ones. The URL of the page has the same filters, so it can be shared. */
function FilterChips({ path, filter, what }: { path: string; filter: Filter; what: ListedKind }) {
  const { text, status, from, to } = filter;
  const used: [string, Partial<Filter>][] = [];
  if (text) used.push([`“${text}”`, { text: "" }]);
  if (status) used.push([STATUSES[status]?.words ?? status, { status: "" }]);
  if (from && from === to) used.push([from, { from: "", to: "" }]);
  else if (from) used.push([`From ${from}`, { from: "" }]);
  if (to && from !== to) used.push([`Until ${to}`, { to: "" }]);
  const states = status ? [] : Object.entries(QUICK_STATES[what]);
  return (
    <ul class="chips filters" aria-label="Filters">
      {used.map(([words, without]) => (
        <li class="used">
          <a href={toPath(path, { ...filter, ...without })} title="Remove this filter">
            <Text>{words}</Text>
            <span aria-hidden="true"> ×</span>
            <span class="unseen">, remove this filter</span>
          </a>
        </li>
      ))}
      {!from &&
        !to &&
        Object.entries(QUICK_DAYS).map(([day, words]) => (
          <li>
            <a href={withDay(path, filter, day)} data-zone>
              {words}
            </a>
          </li>
        ))}
      {states.map(([state, words]) => (
        <li>
          <a href={toPath(path, { ...filter, status: state })}>{words}</a>
        </li>
      ))}
    </ul>
  );
}

function FilterForm({ path, filter, what }: { path: string; filter: Filter; what: ListedKind }) {
  const { statuses } = KINDS[what];
  const zone = filter.zone || undefined;
  return (
    <Form fields={listQuery} class="filter" method="get" action={path}>
      {filter.size !== PAGE_SIZE && <HiddenField name="size" value={filter.size} />}
      <Input
        type="search"
        id="q"
        name="q"
        value={filter.text}
        autocomplete="off"
        aria-label="Search"
        placeholder={PLACEHOLDERS[what]}
        aria-describedby="q-hint"
      />
      <p class="hint" id="q-hint">
        {SEARCH_HINTS[what]}
      </p>
      <button type="submit">Search</button>
      <FilterFold used={countFilters(filter)} clear={path}>
        {statuses.length > 1 && (
          <Choice
            name="status"
            label="Status"
            chosen={filter.status}
            options={[ALL, ...statuses.map((status) => [status, STATUSES[status]?.words ?? status] as const)]}
          />
        )}
        <ZoneField zone={filter.zone} />
        <TimeField name="from" label="From" type="date" value={filter.from} zone={zone} />
        <TimeField name="to" label="Until" type="date" value={filter.to} zone={zone} />
      </FilterFold>
    </Form>
  );
}

const PLACEHOLDERS: Record<ListedKind, string> = {
  orders: "Name, reference, place, phone …",
  shipments: "Name, reference, tracking number …",
  labels: "Tracking number, name, reference …",
};
