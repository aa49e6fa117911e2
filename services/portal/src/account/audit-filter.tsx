import { SEARCH_FIELD } from "@shipping/api/input/fields";
import { databaseNow } from "@shipping/kit/postgres/clock";
import sql, { join, type Sql } from "sql-template-tag";
import { AUDIT_ACTIONS } from "../audit/audit.js";
import { ALL, Choice, Form, Input, TextField } from "../page/form.js";
import { AREA_PATH, type PageDeps } from "../page/page.js";
import { pagingQuery, readCursor } from "../page/paging.js";
import { FilterFold, readZone, TIME_PARAMETER, TimeField, toInstant, ZoneField, zoneQuery } from "../page/zone.js";

/** The longest part of an actor's name to look for. */
const WHO_FIELD = { maxLength: 200 };

export const auditQuery = {
  q: SEARCH_FIELD,
  who: WHO_FIELD,
  what: { maxLength: 50 },
  from: TIME_PARAMETER,
  to: TIME_PARAMETER,
  ...zoneQuery,
  ...pagingQuery,
};

/** The filter of the audit log. Invalid values are ignored. */
export interface AuditFilter {
  text: string;
  who: string;
  /** An action; empty for all. */
  what: string;
  /** Days such as `2026-11-28`; empty if they are open. */
  from: string;
  to: string;
  zone: string;
  after: string | undefined;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

export function readFilter(query: URLSearchParams): AuditFilter {
  const read = (name: string) => (query.get(name) ?? "").replaceAll("\0", "").trim();
  const zone = readZone(query);
  const readDay = (name: string) =>
    DAY.test(read(name)) && !Number.isNaN(toInstant(`${read(name)}T00:00`, zone).getTime()) ? read(name) : "";
  const what = Object.hasOwn(AUDIT_ACTIONS, read("what")) ? read("what") : "";
  const [from, to] = [readDay("from"), readDay("to")];
  const after = readCursor(query, "aud");
  return { text: read("q"), who: read("who"), what, from, to, zone: from || to ? zone : "", after };
}

/** The filter as the query of a page. */
export function toParameters({ text, who, what, from, to, zone }: AuditFilter): [string, string][] {
  const pairs = { q: text, who, what, from, to, zone };
  return Object.entries(pairs).filter(([, value]) => value !== "");
}

export function toPath(path: string, filter: AuditFilter): string {
  const query = new URLSearchParams(toParameters(filter));
  return query.size > 0 ? `${path}?${query}` : path;
}

export interface AuditRow {
  id: string;
  at: Date;
  actor: string;
  action: string;
  environment: string | null;
  subject: string;
  detail: string;
  source: string;
}

/** How many entries a filter without an index looks at for one page. */
const MAX_LOOKED = 5_000;

export interface AuditPage {
  rows: AuditRow[];
  nextCursor?: string;
  /** How far back the search looked; set only if it stopped at its limit of entries. */
  lookedBackTo?: Date;
}

/** Reads a page of an account's entries, the newest first. A filter looks at a limited number of entries for each page. */
export async function readEntries(
  deps: Pick<PageDeps, "db" | "clockOffsetMs">,
  accountId: string,
  filter: AuditFilter,
  size: number,
): Promise<AuditPage> {
  const { text, who, what, from, to, zone, after } = filter;
  const isFiltered = text !== "" || who !== "" || what !== "";
  const most = isFiltered ? MAX_LOOKED : size + 1;
  const wanted = [sql`account_id = ${accountId}`, sql`at <= ${databaseNow(deps)} + interval '1 day'`];
  if (from) wanted.push(sql`at >= ${toInstant(`${from}T00:00`, zone)}`);
  if (to) wanted.push(sql`at < ${toInstant(`${nextDay(to)}T00:00`, zone)}`);
  if (after) {
    const begin = sql`(SELECT at FROM audit_entries WHERE id = ${after} AND account_id = ${accountId})`;
    wanted.push(sql`at <= ${begin} AND (at, id) < (${begin}, ${after})`);
  }
  const looked = sql`
    SELECT id, at, actor, action, environment, subject, detail, source FROM audit_entries
    WHERE ${join(wanted, " AND ")} ORDER BY at DESC, id DESC LIMIT ${most}::bigint`;
  const rows = await deps.db.runList<AuditRow>(sql`
    WITH looked AS MATERIALIZED (${looked})
    SELECT * FROM looked WHERE ${join(conditions(filter), " AND ")}
    ORDER BY at DESC, id DESC LIMIT ${size + 1}::bigint`);
  const page = rows.slice(0, size);
  if (rows.length > size) return { rows: page, nextCursor: page.at(-1)!.id };
  if (!isFiltered) return { rows: page };
  const [last] = await deps.db.runList<{ id: string; at: Date }>(sql`
    SELECT id, at FROM (${looked}) AS looked ORDER BY at DESC, id DESC OFFSET ${MAX_LOOKED - 1}::bigint LIMIT 1`);
  return last ? { rows: page, nextCursor: last.id, lookedBackTo: last.at } : { rows: page };
}

function conditions({ text, who, what }: AuditFilter): Sql[] {
  const has = (where: Sql, part: string) => sql`position(lower(${part}) IN lower(${where})) > 0`;
  return [
    sql`true`,
    ...(what ? [sql`action = ${what}`] : []),
    ...(who ? [has(sql`actor`, who)] : []),
    ...(text ? [has(sql`concat_ws(' ', detail, subject, actor, source)`, text)] : []),
  ];
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

export function FilterForm({ filter }: { filter: AuditFilter }) {
  const { text, who, what, from, to } = filter;
  const zone = filter.zone || undefined;
  const path = `${AREA_PATH}/audit`;
  return (
    <Form fields={auditQuery} class="filter" method="get" action={path}>
      <Input
        type="search"
        name="q"
        value={text}
        autocomplete="off"
        aria-label="Search"
        placeholder="Name, ID, URL, IP address …"
      />
      <button type="submit">Search</button>
      <FilterFold used={[who, what, from, to].filter(Boolean).length} clear={path}>
        <TextField
          name="who"
          label="Who"
          hint="Part of an email address or of a key's name, or “operator”."
          value={who}
          required={false}
          autocomplete="off"
        />
        <Choice name="what" label="What" chosen={what} options={[ALL, ...Object.entries(AUDIT_ACTIONS)]} />
        <ZoneField zone={filter.zone} />
        <TimeField name="from" label="From" type="date" value={from} zone={zone} />
        <TimeField name="to" label="Until" type="date" value={to} zone={zone} />
      </FilterFold>
    </Form>
  );
}
