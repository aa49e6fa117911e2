import { MAX_MATCHES } from "@shipping/kit/postgres/owned/search-owned";
import type { ComponentChildren } from "preact";
import { type Chip, Chips } from "../lists/chips.js";
import { COUNTRIES } from "../lists/countries.js";
import { ExportLinks } from "../lists/export-links.js";
import { OLDEST } from "../lists/list-order.js";
import { News } from "../lists/news.js";
import { type ListViews, ViewsMenu } from "../lists/views-menu.js";
import { ALL, Choice, Form, HiddenField, Input } from "../page/form.js";
import { AREA_PATH, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging } from "../page/paging.js";
import { isMissing, MissingPart, type Part } from "../page/part.js";
import type { Order } from "../page/table.js";
import { Notice } from "../page/text.js";
import { FilterFold, TimeField, ZoneField, ZoneName } from "../page/zone.js";
import {
  countFilters,
  type Filter,
  isFiltered,
  KINDS,
  type ListedKind,
  listQuery,
  QUICK_DAYS,
  QUICK_STATES,
  SIZES,
  toOrder,
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
  views: ListViews;
  /** The time after which rows are new: that of the newest row, or that of the page. */
  since: string;
  page: Part<FoundPage>;
  empty: ComponentChildren;
  children: ComponentChildren;
}

/** The page of a list: its number of matches, search, filters, rows, and the links to other pages and to its file. */
export function FilteredList(props: FilteredListProps) {
  const { what, request, filter, page } = props;
  const path = `${AREA_PATH}/${request.environment}/${what}`;
  // Only at its beginning does a list have new rows.
  const hasNews = !filter.after && !filter.oldestFirst && !filter.failing;
  return (
    <>
      <h1>
        {request.environment === "live" ? `Live ${what}` : `Sandbox ${what}`}{" "}
        {!isMissing(page) && <Matches page={page} filter={filter} />}
      </h1>
      <FilterForm path={path} filter={filter} what={what}>
        <ViewsMenu views={props.views} environment={request.environment} />
      </FilterForm>
      <Chips chips={toChips({ path, filter, what })} />
      {hasNews && <News path={toPath(`${path}/news`, filter)} since={props.since} what={what} />}
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
  const order = toOrder(path, filter);
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
  const toFile = (format: string) => toPath(`${path}/${format}`, { ...filter, size: PAGE_SIZE });
  const download = <ExportLinks toFile={toFile} rows={filter.text ? undefined : page.matches} />;
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
          {filter.oldestFirst ? "Oldest" : "Newest"} first{order && <OtherOrder {...order} />}. Times in <ZoneName />.
        </p>
        <Sizes path={path} filter={filter} />
      </div>
    </>
  );
}

/** On narrow screens, where the headings are hidden, the list is sorted here. */
function OtherOrder({ ascending, opposite }: Order) {
  return (
    <>
      {" ("}
      <a href={opposite}>show the {ascending ? "newest" : "oldest"} first</a>)
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

const FAILING = "Failing delivery";

/** The filters in use, and quick ones that can be added. The URL of the page has the same filters, so it can be shared. */
function toChips({ path, filter, what }: { path: string; filter: Filter; what: ListedKind }): Chip[] {
  const { text, status, from, to, country, failing } = filter;
  const used: Chip[] = [];
  const use = (words: string, without: Partial<Filter>) =>
    used.push({ words, href: toPath(path, { ...filter, ...without }), used: true });
  if (text) use(`“${text}”`, { text: "" });
  if (failing) use(FAILING, { failing: false });
  if (status) use(STATUSES[status]?.words ?? status, { status: "" });
  if (country) use(`To ${COUNTRIES.get(country) ?? country}`, { country: "" });
  if (from && from === to) use(from, { from: "", to: "" });
  else if (from) use(`From ${from}`, { from: "" });
  if (to && from !== to) use(`Until ${to}`, { to: "" });
  const days = from || to ? [] : Object.entries(QUICK_DAYS);
  const states = status ? [] : Object.entries(QUICK_STATES[what]);
  return [
    ...used,
    ...days.map(([day, words]): Chip => ({ words, href: withDay(path, filter, day), inZone: true })),
    ...states.map(([state, words]): Chip => ({ words, href: toPath(path, { ...filter, status: state }) })),
    ...(failing ? [] : [{ words: FAILING, href: toPath(path, { ...filter, text: "", failing: true }) }]),
  ];
}

function FilterForm(props: { path: string; filter: Filter; what: ListedKind; children: ComponentChildren }) {
  const { path, filter, what, children } = props;
  const { statuses } = KINDS[what];
  const zone = filter.zone || undefined;
  return (
    <Form fields={listQuery} class="filter" method="get" action={path}>
      {filter.size !== PAGE_SIZE && <HiddenField name="size" value={filter.size} />}
      {filter.oldestFirst && <HiddenField name="order" value={OLDEST} />}
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
        {what === "shipments" && (
          <Choice name="country" label="Destination country" chosen={filter.country} options={[ALL, ...COUNTRIES]} />
        )}
        <ZoneField zone={filter.zone} />
        <TimeField name="from" label="From" type="date" value={filter.from} zone={zone} />
        <TimeField name="to" label="Until" type="date" value={filter.to} zone={zone} />
      </FilterFold>
      {children}
    </Form>
  );
}

const PLACEHOLDERS: Record<ListedKind, string> = {
  orders: "Name, reference, place, phone …",
  shipments: "Name, reference, tracking number …",
  labels: "Tracking number, name, reference …",
};
