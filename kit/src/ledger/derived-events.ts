import sql from "sql-template-tag";
import type { Caller } from "../caller.js";
import type { Place, WalkedPage } from "../derived/walk.js";
import { placeOf, valuesOf } from "../derived/walk.js";
import { type Columns, type Row, unnestRows } from "../postgres/columns.js";
import type { Database } from "../postgres/database.js";
import { renderEvent } from "./outbox.js";
import type { Published } from "./reconcile-outbox.js";

/** An event that a stored record must have caused. */
export interface CausedEvent {
  /** Absent if the record does not say it. */
  id: string | undefined;
  type: string;
  caller: Caller;
  /** The ID of the record. */
  resourceId: string;
  at: Date;
  /** Renders the record as it was then. */
  data(): string;
}

/** The records that cause events of certain types. */
export interface EventSource {
  /** For example `order`. */
  name: string;
  types: readonly string[];
  /** The events of the records after a place. */
  walk(page: { after: Place; limit: number }): Promise<WalkedPage<readonly CausedEvent[]>>;
  /** The events of these records, as far as they exist. */
  find(records: readonly (Caller & { id: string })[]): Promise<CausedEvent[]>;
}

/** An event that has arrived at the subscriber. */
export interface ArrivedEvent {
  id: string;
  type: string;
  accountId: string;
  environment: string;
  resourceId: string;
}

export interface DerivedEventsDeps {
  db: Database;
  /** Returns the IDs of the given events that have not arrived. */
  filterMissing(events: readonly Published[]): Promise<string[]>;
  /** Reads one page of the events that have arrived. */
  listArrived(asked: {
    types: string[];
    limit: number;
    after?: string;
  }): Promise<{ events: readonly ArrivedEvent[]; nextCursor?: string | undefined }>;
  now(): Date;
}

/** Older events are not looked for: the subscriber keeps each for eight days at least. */
const LOOKED_FOR_MS = 7 * 86_400_000;

type Found = {
  problem: "missing" | "stale" | "surplus" | "lost";
  accountId: string;
  environment: string;
  id: string;
  says: string;
  event?: CausedEvent | undefined;
};

const differenceOf = (problem: Found["problem"], event: CausedEvent): Found => {
  const { caller, resourceId: id, type: says } = event;
  return { problem, ...caller, id, says, event };
};

/**
 * The events of one kind of records. Each is in the outbox until the subscriber has confirmed it. An event that was in neither place has been
 * lost there, so it goes into the outbox once more.
 */
export const eventsOfRecords = (deps: DerivedEventsDeps, source: EventSource) => ({
  kind: `${source.name}_events`,
  startsAt: "acc",
  async compare(after: Place, limit: number) {
    const { rows, next } = await source.walk({ after, limit });
    const since = deps.now().getTime() - LOOKED_FOR_MS;
    const events = rows.flat().filter(({ id, at }) => id !== undefined && at.getTime() > since);
    // An event leaves the outbox once the subscriber has stored it, so it is looked for in this order.
    const waiting = new Set(await idsInOutbox(deps, events));
    const left = events.filter(({ id }) => !waiting.has(id!));
    const asked = left.map(({ id, at }) => ({ id: id!, createdAt: at.toISOString() }));
    const missing = new Set(asked.length > 0 ? await deps.filterMissing(asked) : []);
    const differences = left.filter(({ id }) => missing.has(id!)).map((event) => differenceOf("missing", event));
    return { rows: rows.length, differences, ...(next !== undefined && { next }) };
  },
  repair: (found: readonly Found[]) => emitAgain(deps, found),
});

const outboxColumns = {
  ...{ eventId: "text", type: "text", accountId: "text", environment: "text", body: "bytea" },
} as const satisfies Columns;

async function idsInOutbox({ db }: DerivedEventsDeps, events: readonly CausedEvent[]): Promise<string[]> {
  const ids = events.map(({ id }) => id!);
  const rows = await db.runList<{ id: string }>(
    sql`SELECT event_id AS id FROM outbox WHERE event_id = ANY(${ids}::text[])`,
  );
  return rows.map(({ id }) => id);
}

/** Stores the events without a lease, so that any process may publish them. */
async function emitAgain({ db }: DerivedEventsDeps, found: readonly Found[]): Promise<void> {
  const rows = found.flatMap(({ event }) => (event ? [rowOf(event)] : []));
  if (rows.length === 0) return;
  await db.runList(sql`
    INSERT INTO outbox (event_id, type, account_id, environment, body, created_at, leased_until)
    SELECT event_id, type, account_id, environment, body, clock_timestamp(), clock_timestamp() FROM ${unnestRows(outboxColumns, rows)}
    ORDER BY event_id
    ON CONFLICT (event_id) DO UPDATE SET body = excluded.body, leased_until = excluded.leased_until
    WHERE outbox.published_at IS NULL`);
}

function rowOf({ id, type, caller, at, data }: CausedEvent): Row<typeof outboxColumns> {
  const { body } = renderEvent({ id: id!, type, caller, data: data(), now: at });
  return { eventId: id!, type, ...caller, body };
}

interface WaitingRow extends Caller {
  place: string;
  eventId: string;
  type: string;
  body: Buffer;
}

/** The waiting rows of the outbox: each belongs to a record, and says so. */
export const waitingEvents = (deps: DerivedEventsDeps, sources: readonly EventSource[]) => ({
  kind: "outbox",
  async compare(after: Place, limit: number) {
    const [last] = valuesOf(after, 1);
    const rows = await deps.db.runList<WaitingRow>(sql`
      SELECT id::text AS place, event_id AS "eventId", type, account_id AS "accountId", environment, body FROM outbox
      WHERE published_at IS NULL AND id > ${last || "0"}::bigint ORDER BY outbox.id LIMIT ${limit}::bigint`);
    const facts = rows.map((row) => ({ ...row, said: readBody(row.body) }));
    const named = facts.map(({ accountId, environment, type, said }) => ({
      ...{ accountId, environment, type },
      id: said?.data?.id ?? "",
    }));
    const caused = await findAll(sources, named);
    const byId = new Map(caused.map((event) => [event.id, event]));
    // A body that cannot be read names no record, which the walk through the records finds by the event's ID.
    const differences = facts.flatMap(({ eventId, type, said, accountId, environment }, at): Found[] => {
      const event = byId.get(eventId);
      if (!event) {
        const id = named[at]!.id || eventId;
        return [{ problem: "surplus", accountId, environment, id, says: `${type} ${eventId}` }];
      }
      const isRight = said?.id === eventId && said.type === type && said.created_at === event.at.toISOString();
      return isRight ? [] : [differenceOf("stale", event)];
    });
    const next = rows.length === limit ? placeOf([rows.at(-1)!.place]) : undefined;
    return { rows: rows.length, differences, ...(next !== undefined && { next }) };
  },
  async repair(found: readonly Found[]) {
    await emitAgain(deps, found);
    const surplus = found.filter(({ problem }) => problem === "surplus").map(({ says }) => says.split(" ")[1]);
    await deps.db.runList(sql`DELETE FROM outbox WHERE event_id = ANY(${surplus}::text[]) AND published_at IS NULL`);
  },
});

/** The events that the subscriber has: the record of each is there, unless this database was restored to a time before it. */
export const arrivedEvents = (deps: DerivedEventsDeps, sources: readonly EventSource[]) => ({
  kind: "arrived_events",
  async compare(after: Place, limit: number) {
    const types = sources.flatMap((source) => source.types);
    const { events, nextCursor } = await deps.listArrived({ types, limit, ...(after !== undefined && { after }) });
    const named = events.map(({ resourceId: id, ...event }) => ({ ...(event as Caller & { type: string }), id }));
    const known = new Set((await findAll(sources, named)).map(({ type, resourceId }) => `${type} ${resourceId}`));
    const differences = named
      .filter(({ type, id }) => !known.has(`${type} ${id}`))
      .map(({ accountId, environment, id, type }): Found => {
        return { problem: "lost", accountId, environment, id, says: `${type} has arrived, but its record is gone` };
      });
    return { rows: events.length, differences, ...(nextCursor !== undefined && { next: nextCursor }) };
  },
  repair: async () => {},
});

async function findAll(sources: readonly EventSource[], named: readonly (Caller & { id: string; type: string })[]) {
  const found = sources.map((source) => {
    const records = named.filter(({ type }) => source.types.includes(type));
    return records.length > 0 ? source.find(records) : [];
  });
  return (await Promise.all(found)).flat();
}

function readBody(body: Buffer): { id?: string; type?: string; created_at?: string; data?: { id?: string } } | null {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
