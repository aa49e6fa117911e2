import sql, { empty, type Sql } from "sql-template-tag";
import type { Database } from "../postgres/database.js";

const BATCH = 1000;
/** The number of bodies in memory at once; a body has up to about 35 KB. */
const BODIES = 50;
/** After this many repetitions, the interval between them stops growing. It is then 64 minutes. */
const MAX_DOUBLINGS = 6;

/** A published event: its ID and the time of its commit (ISO 8601). */
export interface Published {
  id: string;
  createdAt: string;
}

export interface OutboxRow {
  id: bigint;
  event_id: string;
  type: string;
  account_id: string;
  environment: string;
  body: Buffer;
  traceparent: string | null;
  created_at: Date;
  publications: number;
}

/** The columns of a row that a page reads. Only lost events are read with their bodies. */
type PageRow = Pick<OutboxRow, "id" | "event_id" | "created_at" | "publications"> & {
  /** Published more than a minute ago. */
  published: boolean;
  due: boolean;
  ageSeconds: number;
};

export interface Reconciled {
  republished: number;
  deleted: number;
  /** Age of the oldest event, among those asked about, that the bus has confirmed and the subscriber lacks; 0 if there is none. */
  oldestMissingSeconds: number;
}

export interface Reconciliation {
  db: Database;
  /** The database's clock. */
  now: Sql;
  /** Returns the IDs of the given events that have not arrived (WebhooksService.FilterMissing). */
  filterMissing(events: readonly Published[]): Promise<string[]>;
  /** A condition that a row must meet before it is deleted. Without it, arrival of the event is enough. */
  deletable?: Sql | undefined;
  /** Publishes rows under these message IDs, and returns how many the bus has confirmed. */
  publishAll(rows: readonly OutboxRow[], messageId: (row: OutboxRow) => string): Promise<number>;
  /** Checked between two statements. If it returns true, another process does the rest. */
  isStopping(): boolean;
}

/**
 * Asks the subscriber which published events it lacks, publishes those again and deletes the others. A row is checked one minute after its
 * first publication, and after twice as long with each repetition: an event may be missing only because the subscriber lags behind the
 * stream, and repetitions every minute would make it lag even more.
 */
export async function reconcileOutbox(deps: Reconciliation): Promise<Reconciled> {
  const total = { republished: 0, deleted: 0, oldestMissingSeconds: 0 };
  let last = 0n;
  while (!deps.isStopping()) {
    const page = await readPage(deps, last);
    // The subscriber is always asked about the oldest rows, which show how late it is.
    const rows = page.filter(({ due, published }) => due || (last === 0n && published));
    if (rows.length > 0) {
      const published = rows.map((row) => ({ id: row.event_id, createdAt: row.created_at.toISOString() }));
      const missing = new Set(await deps.filterMissing(published));
      const [lost, arrived] = [true, false].map((is) => rows.filter((row) => missing.has(row.event_id) === is));
      total.oldestMissingSeconds = Math.max(total.oldestMissingSeconds, ...lost!.map(({ ageSeconds }) => ageSeconds));
      const due = lost!.filter((row) => row.due);
      const received = arrived!.map(({ id }) => id);
      total.republished += await publishLost(deps, due);
      total.deleted += await deleteRows(deps, received);
    }
    if (page.length < BATCH) break;
    last = page.at(-1)!.id;
  }
  return total;
}

// `due` is a column instead of a condition, so that a statement reads only one page, however few of its rows are due.
function readPage({ db, now }: Reconciliation, last: bigint) {
  return db.run<PageRow>(sql`
    SELECT id, event_id, created_at, publications, greatest(0, extract(epoch FROM ${now} - created_at))::float8 AS "ageSeconds",
      coalesce(published_at < ${now} - interval '1 minute', false) AS published, coalesce(
      published_at < ${now} - interval '1 minute' * 2 ^ least(publications - 1, ${MAX_DOUBLINGS}::integer), false) AS due
    FROM outbox WHERE id > ${last} ORDER BY id LIMIT ${BATCH}`);
}

async function publishLost(deps: Reconciliation, lost: readonly PageRow[]): Promise<number> {
  // The message ID is new, because the stream would drop a message with the old one as a duplicate. It contains the page's count, which replicas
  // share.
  const publications = new Map(lost.map((row) => [row.id, row.publications]));
  let republished = 0;
  for (let at = 0; at < lost.length && !deps.isStopping(); at += BODIES) {
    const rows = await readRows(deps, lost.slice(at, at + BODIES));
    republished += await deps.publishAll(rows, (row) => `${row.event_id}.${publications.get(row.id)}`);
  }
  return republished;
}

function readRows({ db }: Reconciliation, rows: readonly PageRow[]) {
  return db.run<OutboxRow>(sql`
    SELECT id, event_id, type, account_id, environment, body, traceparent, created_at, publications
    FROM outbox WHERE id = ANY(${rows.map(({ id }) => id)}::bigint[]) ORDER BY id`);
}

async function deleteRows({ db, deletable }: Reconciliation, ids: readonly bigint[]): Promise<number> {
  const deleted = await db.run(sql`
    DELETE FROM outbox WHERE id = ANY(${ids}::bigint[]) ${deletable ? sql`AND ${deletable}` : empty} RETURNING id`);
  return deleted.length;
}
