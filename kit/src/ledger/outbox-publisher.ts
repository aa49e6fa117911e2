import { create } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { empty, type Sql } from "sql-template-tag";
import { type Bus, BusOutage } from "../events/bus.js";
import { backgroundBatch } from "../postgres/background-batch.js";
import type { Database } from "../postgres/database.js";
import { createInFlight } from "../process/in-flight.js";
import type { Log } from "../process/log.js";
import { traced } from "../process/tracing.js";
import type { OutboxRow } from "./reconcile-outbox.js";

const IN_FLIGHT = 256;

/**
 * Selects the rows of these events. They are found first, as an array: a join might search for them again for each row of the table. The
 * index of `id` yields an array's rows in order, so that all statements lock them in the same order.
 */
export function rowsOfEvents(eventIds: readonly string[]): Sql {
  return sql`id = ANY(ARRAY(SELECT id FROM outbox WHERE event_id = ANY(${eventIds}::text[])))`;
}

/** Creates what publishes rows in one process and stores the result in them. `now` is the database's time, `alsoSet` as in the outbox's options. */
export function createOutboxPublisher(deps: {
  db: Database;
  bus: Bus;
  log: Log;
  now: Sql;
  alsoSet: ((eventIds: readonly string[]) => Sql) | undefined;
}) {
  const { db, bus, log, now, alsoSet } = deps;
  const underWay = createInFlight();
  // True from a publication that met an outage until the next that succeeds. Meanwhile this process tries one row at a time and leases no others.
  let outage = false;
  /** Whether this process can publish another event now. */
  const hasRoom = () => bus.connected() && !outage && underWay.count() < IN_FLIGHT;

  // Replicas that publish a row at the same time use the same message ID, so this counts as one publication.
  const markPublished = backgroundBatch<string>({
    async run(ids) {
      const mark = sql`
        UPDATE outbox SET published_at = ${now},
          publications = publications + CASE WHEN published_at > ${now} - interval '30 seconds' THEN 0 ELSE 1 END
          ${alsoSet ? sql`, ${alsoSet(ids)}` : empty}
        WHERE ${rowsOfEvents(ids)}`;
      await db.run(mark).catch((err) => {
        log.warn({ err, events: ids.length }, "published events not marked; the relay repeats them");
      });
    },
  });

  // Without this, an event that met an outage would wait until its lease expires.
  const release = backgroundBatch<string>({
    async run(ids) {
      await db.run(sql`UPDATE outbox SET leased_until = ${now} WHERE ${rowsOfEvents(ids)} AND published_at IS NULL`);
    },
  });

  async function publish(event: Event, messageId: string): Promise<void> {
    const { type, traceparent: parent } = event;
    try {
      await traced(`publish ${type}`, { kind: "producer", parent }, () => bus.publish(event, messageId));
    } catch (err) {
      if (!(err instanceof BusOutage)) throw err;
      if (!outage) log.warn({ reason: err.message }, "the bus takes no events; they wait in the outbox");
      outage = true;
      await release(event.id);
      throw err;
    }
    if (outage) log.info("the bus takes events again");
    outage = false;
    await markPublished(event.id);
  }

  const logRefusal = (err: unknown, about: object) => {
    if (!(err instanceof BusOutage)) log.warn({ err, ...about }, "event not published yet; the relay repeats it");
  };

  /** Publishes an event in the background. If there is no room, it ends the row's lease instead, so that any process may publish the row. */
  function publishInBackground(event: Event): void {
    const sent = hasRoom() ? publish(event, event.id) : release(event.id);
    underWay.add(sent.catch((err) => logRefusal(err, { event: event.id })));
  }

  /** Publishes rows under these message IDs, and returns how many the bus has confirmed. */
  async function publishAll(rows: readonly OutboxRow[], messageId: (row: OutboxRow) => string): Promise<number> {
    const ends = await Promise.allSettled(rows.map((row) => publish(toEvent(row), messageId(row))));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) logRefusal(failed.reason, { rows: rows.length });
    return ends.filter((end) => end.status === "fulfilled").length;
  }

  /** The number of rows to claim at a time: one while the bus accepts no events. */
  const claimSize = () => (outage ? 1 : IN_FLIGHT);
  return { hasRoom, claimSize, publishInBackground, publishAll, idle: () => underWay.idle() };
}

function toEvent(row: OutboxRow): Event {
  const { event_id: id, type, account_id: accountId, environment, body, traceparent } = row;
  return create(EventSchema, { id, type, accountId, environment, body, traceparent: traceparent ?? "" });
}
