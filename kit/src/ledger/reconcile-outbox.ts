import sql, { empty, type Sql } from "sql-template-tag";
import type { Database } from "../postgres/database.js";

const BATCH = 1000;
/** Bodies that are in memory at once; a body has up to about 35 KB. */
const BODIES = 50;
/** Repetitions after which the time between two of them grows no more: it is then 64 minutes. */
const MOST_DOUBLINGS = 6;

/** An event that was published, by its id and the time of its commit (ISO 8601). */
export interface Published {
  id: string;
  createdAt: string;
}

/** An event in the outbox. */
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

/** What a page says of a row of the outbox; only what is lost is read with its body. */
type PageRow = Pick<OutboxRow, "id" | "event_id" | "created_at" | "publications"> & { due: boolean };

/** What a reconciliation works with. */
export interface Reconciliation {
  db: Database;
  /** The database's clock. */
  now: Sql;
  /** Of these events, the ids of those that have not arrived (WebhooksService.FilterMissing). */
  filterMissing(events: readonly Published[]): Promise<string[]>;
  /** A condition on a row, without which it is kept although its event has arrived. */
  deletable?: Sql | undefined;
  /** Publishes rows under these message ids, and returns how many the bus has taken. */
  publishAll(rows: readonly OutboxRow[], messageId: (row: OutboxRow) => string): Promise<number>;
  /** Asked between two statements: what is left then has its turn in another process. */
  isStopping(): boolean;
}

/**
 * Asks the subscriber which published events it does not have, publishes those again and deletes the others. A row's turn comes a minute
 * after its first publication, and after twice as long with each repetition: what is missing may also wait in the stream for a
 * subscriber that lags, and repeated every minute it would bury it.
 */
export async function reconcileOutbox(deps: Reconciliation): Promise<{ republished: number; deleted: number }> {
  const total = { republished: 0, deleted: 0 };
  let last = 0n;
  while (!deps.isStopping()) {
    const page = await readPage(deps, last);
    const rows = page.filter(({ due }) => due);
    if (rows.length > 0) {
      const published = rows.map((row) => ({ id: row.event_id, createdAt: row.created_at.toISOString() }));
      const missing = new Set(await deps.filterMissing(published));
      total.republished += await publishLost(
        deps,
        rows.filter((row) => missing.has(row.event_id)),
      );
      const arrived = rows.filter((row) => !missing.has(row.event_id)).map((row) => row.id);
      total.deleted += await deleteRows(deps, arrived);
    }
    if (page.length < BATCH) break;
    last = page.at(-1)!.id;
  }
  return total;
}

// The condition is outside of the page, so that a statement reads a page and no more, however few of the rows are due.
function readPage({ db, now }: Reconciliation, last: bigint) {
  return db.run<PageRow>(sql`
    SELECT id, event_id, created_at, publications, coalesce(
      published_at < ${now} - interval '1 minute' * 2 ^ least(publications - 1, ${MOST_DOUBLINGS}::integer), false) AS due
    FROM outbox WHERE id > ${last} ORDER BY id LIMIT ${BATCH}`);
}

async function publishLost(deps: Reconciliation, lost: readonly PageRow[]): Promise<number> {
  // A new message id: with the old one the stream would drop it as a duplicate. By the page's count, which replicas share.
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
