import { create } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { type Sql } from "sql-template-tag";
import type { Caller } from "../caller.js";
import type { Bus } from "../events/bus.js";
import { newId, type Random } from "../ids.js";
import { databaseNow } from "../postgres/clock.js";
import { type Columns, unnestRows } from "../postgres/columns.js";
import type { Log } from "../process/log.js";
import { startLoop } from "../process/loop.js";
import type { Metrics } from "../process/metrics.js";
import { traceparent } from "../process/tracing.js";
import { createOutboxPublisher } from "./outbox-publisher.js";
import { type OutboxRow, type Reconciled, type Reconciliation, reconcileOutbox } from "./reconcile-outbox.js";

/**
 * How long a row belongs to the process that inserted or claimed it: longer than a publication takes, but short, because a dead process
 * delays its events by this time.
 */
const LEASE_MS = 5_000;
/** A lease that ends later than this was given before the database's clock was set back. */
const MAX_LEASE = sql`interval '10 seconds'`;
const POLL_MS = 250;
const RECONCILE_MS = 60_000;
const MAX_COUNTED = 10_000;

const eventColumns = { id: "text", type: "text", body: "bytea", traceparent: "text?" } as const satisfies Columns;

const encoder = new TextEncoder();

/** Renders an event and its webhook body. Neither is ever rendered again. `data` is the resource's public JSON; `livemode` follows the caller. */
export function newEvent({ random, ...input }: Omit<EventFacts, "id"> & { random: Random }): Event {
  const id = newId("evt", random);
  return { ...renderEvent({ ...input, id }), traceparent: traceparent() };
}

/** The facts from which an event is rendered. */
export interface EventFacts {
  id: string;
  type: string;
  caller: Caller;
  /** The resource's public JSON. */
  data: string;
  now: Date;
}

/** Renders an event that has its ID. Rendered again from the same facts, it has the same bytes. */
export function renderEvent({ id, type, caller, data, now }: EventFacts): Event {
  const livemode = caller.environment === "live";
  const head = JSON.stringify({ id, type, livemode, created_at: now.toISOString() });
  const body = encoder.encode(`${head.slice(0, -1)},"data":${data}}`);
  const { accountId, environment } = caller;
  return create(EventSchema, { id, type, accountId, environment, body });
}

/** The events that an owner has committed and the bus has not confirmed yet. */
export type Outbox = ReturnType<typeof createOutbox>;

export interface OutboxOptions extends Pick<Reconciliation, "db" | "filterMissing" | "deletable"> {
  bus: Bus;
  log: Log;
  /**
   * An addition to the SET clause of the statement that marks these events as published, for marks that would otherwise write their rows once more.
   */
  alsoSet?: ((eventIds: readonly string[]) => Sql) | undefined;
  /** Added to the database's clock; 0 outside tests. */
  clockOffsetMs?: number;
}

/** Counts the rows that meet `condition`, up to 10,000. With `published_at IS NULL` it uses the index of unpublished events. */
export function countRows(condition: Sql): Sql {
  return sql`(SELECT count(*)::integer FROM (SELECT FROM outbox WHERE ${condition} LIMIT ${MAX_COUNTED}) AS counted)`;
}

/** The outbox in an owner's database, relayed to the bus. */
export function createOutbox(options: OutboxOptions) {
  const { db, bus, log } = options;
  const now = databaseNow({ clockOffsetMs: options.clockOffsetMs ?? 0 });
  const publisher = createOutboxPublisher({ db, bus, log, now, alsoSet: options.alsoSet });
  const { hasRoom, publishAll } = publisher;
  const loops: { stop(): Promise<void> }[] = [];
  const leased = new WeakSet<Event>();

  /**
   * Returns the CTE that stores the events of the writes in `claim (ordinal, …)`, the first event for ordinal 1. The rows are leased to
   * this process, which publishes them right after the commit. If it cannot, they are not leased, so the first process that can takes them.
   */
  function insert(events: readonly Event[]): Sql {
    const isLeased = hasRoom();
    const rows = events.map(({ id, type, body, traceparent }) => ({
      id,
      type,
      body,
      traceparent: traceparent || null,
    }));
    if (isLeased) for (const event of events) leased.add(event);
    return sql`
      INSERT INTO outbox (event_id, type, account_id, environment, body, traceparent, created_at, leased_until)
      SELECT id, type, account_id, environment, body, traceparent, ${now}, ${now} + ${isLeased ? LEASE_MS : 0}::float8 * interval '1 ms'
      FROM claim JOIN ${unnestRows(eventColumns, rows)} USING (ordinal)`;
  }

  /** Publishes an event that this process has just committed, from memory, in the background. */
  function committed(event: Event): void {
    // The row may be leased although there is no room any more: the connection may have ended, or other events were faster.
    if (hasRoom() || leased.has(event)) publisher.publishInBackground(event);
  }

  /**
   * Publishes a batch of events whose lease has expired, and returns how many. This covers processes that died. Without a connection no rows are
   * leased, so that events are published as soon as there is one.
   */
  async function relayOnce(): Promise<number> {
    if (!bus.connected()) return 0;
    const rows = await db.run<OutboxRow>(sql`
      UPDATE outbox SET leased_until = ${now} + ${LEASE_MS}::float8 * interval '1 ms'
      WHERE id = ANY(ARRAY(
        SELECT id FROM outbox WHERE published_at IS NULL AND NOT leased_until BETWEEN ${now} AND ${now} + ${MAX_LEASE}
        ORDER BY id LIMIT ${publisher.claimSize()} FOR UPDATE SKIP LOCKED))
      RETURNING id, event_id, type, account_id, environment, body, traceparent, created_at, publications`);
    return publishAll(rows, (row) => row.event_id);
  }

  let oldestMissingSeconds = 0;
  /** Asks the subscriber which published events it lacks, publishes those again and deletes the others. `isStopping` ends it early. */
  async function reconcileOnce(isStopping = () => false): Promise<Reconciled> {
    const reconciled = await reconcileOutbox({ ...options, now, publishAll, isStopping });
    ({ oldestMissingSeconds } = reconciled);
    return reconciled;
  }

  /**
   * Measures the relay's backlog: the number of unpublished events, counted up to 10,000, the age of the oldest (0 if there is none), and the age of
   * the oldest event that the subscriber lacked when it was last asked. Both subqueries use the index of unpublished events.
   */
  async function lag() {
    const rows = await db.run<{ unpublished: number; oldestSeconds: number }>(sql`
      SELECT
        ${countRows(sql`published_at IS NULL`)} AS unpublished,
        coalesce((
          SELECT greatest(0, extract(epoch FROM ${now} - created_at))::float8
          FROM outbox WHERE published_at IS NULL ORDER BY id LIMIT 1), 0) AS "oldestSeconds"`);
    return { ...rows[0]!, oldestMissingSeconds };
  }

  function start(): void {
    const relayAll = async (isStopping: () => boolean) => {
      while (!isStopping() && (await relayOnce()) > 0);
    };
    loops.push(startLoop({ name: "relay", everyMs: POLL_MS, log, once: relayAll }));
    loops.push(startLoop({ name: "reconcile", everyMs: RECONCILE_MS, log, once: reconcileOnce }));
  }

  /** Stops the loops and waits for running publications. */
  async function stop(): Promise<void> {
    await Promise.all(loops.map((loop) => loop.stop()));
    await publisher.idle();
  }

  return { insert, committed, relayOnce, reconcileOnce, lag, start, stop };
}

/** Measures the backlog of an outbox's relay. Replicas show the same numbers: they share the outbox. */
export function measureOutbox(metrics: Metrics, outbox: Pick<Outbox, "lag">): void {
  const help = {
    outbox_unpublished_events: "Committed events that the bus has not confirmed, counted up to 10,000.",
    outbox_oldest_unpublished_seconds: "Age in seconds of the oldest unconfirmed event; 0 if there is none.",
    outbox_oldest_unaccepted_seconds:
      "Age in seconds of the oldest event that the bus has confirmed and the subscriber lacks, as of the last minute; 0 if there is none.",
  };
  metrics.gauges(help, async () => {
    const { unpublished, oldestSeconds, oldestMissingSeconds } = await outbox.lag();
    return {
      outbox_unpublished_events: unpublished,
      outbox_oldest_unpublished_seconds: oldestSeconds,
      outbox_oldest_unaccepted_seconds: oldestMissingSeconds,
    };
  });
}
