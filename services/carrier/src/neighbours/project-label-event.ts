import { create } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";
import { failureIn } from "@shipping/kit/errors";
import { rowsOfEvents } from "@shipping/kit/ledger/outbox-publisher";
import { backgroundBatch } from "@shipping/kit/postgres/background-batch";
import { databaseNow } from "@shipping/kit/postgres/clock";
import type { Database } from "@shipping/kit/postgres/database";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { Log } from "@shipping/kit/process/log";
import type { Call } from "@shipping/kit/rpc/server";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import type { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import type { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql from "sql-template-tag";

export interface ProjectionDeps {
  db: Database;
  projectedMarks: ProjectedMarks;
  records: Pick<Client<typeof RecordsService>, "applyLabelEvent" | "applyLabelEvents">;
  tracking: Pick<Client<typeof TrackingService>, "applyLabelEvent" | "applyLabelEvents">;
  log: Log;
  /** Added to the database's clock; 0 outside tests. */
  clockOffsetMs: number;
}

// The longest time for which an answer waits for its projections.
const PROJECTION_MS = 1_000;
const BATCH = 100;

/** Sends a committed event to records and tracking, so that the next read shows it. Failures are left to the worker. */
export async function projectLabelEvent(deps: ProjectionDeps, event: Event, call: Call): Promise<void> {
  try {
    await applyTogether(deps, { event, call });
  } catch (err) {
    deps.log.warn({ err, event: event.id }, "label event not projected yet; the worker repeats it");
  }
}

/**
 * Creates the function that repeats projections still missing after two seconds, oldest first. It skips an event that a neighbour refuses
 * until the next run. A neighbour that is down ends the run, and the next one continues after this page, so that every event gets its turn.
 */
export function createProjectOnce(deps: ProjectionDeps) {
  let last = 0n;

  return async (isStopping = () => false): Promise<{ projected: number; refused: number }> => {
    const counts = { projected: 0, refused: 0 };
    do {
      const rows = await overdue(deps, last);
      last = rows.length < BATCH ? 0n : rows.at(-1)!.outboxId;
      // Both neighbours only move forward, so `label.voided` may overtake `label.created`.
      const ends = await Promise.allSettled(rows.map((row) => repeat(deps, create(EventSchema, row))));
      const failed = ends.find((end) => end.status === "rejected");
      if (failed) throw failed.reason;
      const projected = ends.filter((end) => end.status === "fulfilled" && end.value).length;
      counts.projected += projected;
      counts.refused += rows.length - projected;
    } while (last > 0n && !isStopping());
    return counts;
  };
}

/** Returns whether both neighbours have the event; false if one has refused it. Rejects while a neighbour is down. */
async function repeat(deps: ProjectionDeps, event: Event): Promise<boolean> {
  try {
    await apply(deps, event, { timeoutMs: PROJECTION_MS });
    return true;
  } catch (err) {
    const failure = failureIn(err);
    if (!failure || failure.code === "service_unavailable") throw err;
    deps.log.error({ err, event: event.id }, "label event refused");
    return false;
  }
}

async function apply(deps: ProjectionDeps, event: Event, options: CallOptions): Promise<void> {
  const { accountId, environment } = event;
  const request = { caller: { accountId, environment }, event };
  await Promise.all([deps.records.applyLabelEvent(request, options), deps.tracking.applyLabelEvent(request, options)]);
  deps.projectedMarks.add(event.id);
}

interface Applied {
  event: Event;
  call: Call;
}

/**
 * Sends events that are ready at the same time, such as those of labels from one statement, in one call to each neighbour. An event never
 * waits for the answer to the previous call.
 */
const applyTogether = microBatchOperation<ProjectionDeps, Applied, void>({
  concurrency: Number.POSITIVE_INFINITY,
  patienceMs: 0,
  async run(deps, together) {
    const alone = () => together.map(({ event, call }) => apply(deps, event, call.callOptions(PROJECTION_MS)));
    if (together.length === 1) return alone();
    const events = together.map(({ event }) => event);
    const headers = { "x-request-id": together.map(({ call }) => call.requestId).join() };
    const options = { timeoutMs: PROJECTION_MS, headers };
    try {
      await Promise.all([
        deps.records.applyLabelEvents({ events }, options),
        deps.tracking.applyLabelEvents({ events }, options),
      ]);
    } catch (error) {
      // A refused event must not hold up the others.
      if (failureIn(error)?.code === "internal_error") return alone();
      throw error;
    }
    for (const { id } of events) deps.projectedMarks.add(id);
    return [];
  },
});

type OverdueRow = Pick<Event, "id" | "type" | "accountId" | "environment"> & { outboxId: bigint; body: Buffer };

function overdue(deps: ProjectionDeps, after: bigint): Promise<OverdueRow[]> {
  return deps.db.run<OverdueRow>(sql`
    SELECT id AS "outboxId", event_id AS id, type, account_id AS "accountId", environment, body FROM outbox
    WHERE projected_at IS NULL AND id > ${after}
      AND created_at < ${databaseNow(deps)} - interval '2 seconds'
    ORDER BY outbox.id LIMIT ${BATCH}`);
}

export type ProjectedMarks = ReturnType<typeof createProjectedMarks>;

// This is longer than marks of publications wait for each other, so that most rows are written once instead of twice.
const LINGER_MS = 100;

/**
 * Creates the marks, in the outbox of this database, of the events that records and tracking have applied. Events that come together share a
 * statement.
 */
export function createProjectedMarks(db: Database, log: Log) {
  const unmarked = new Set<string>();
  const take = (ids: readonly string[]) => ids.filter((id) => unmarked.delete(id));
  const markSoon = backgroundBatch<string>({
    lingerMs: LINGER_MS,
    async run(ids) {
      const left = take(ids);
      if (left.length === 0) return;
      await db.run(sql`UPDATE outbox SET projected_at = clock_timestamp() WHERE ${rowsOfEvents(left)}`);
    },
  });
  let last = Promise.resolve();

  return {
    /** Marks an event soon. A lost mark only causes a repetition. */
    add(eventId: string): void {
      unmarked.add(eventId);
      last = markSoon(eventId).catch((err) => {
        log.warn({ err, event: eventId }, "projection not marked; the worker repeats it");
      });
    },
    /** For the outbox: the statement that marks events as published also sets these marks, and a row without one is not deleted. */
    inOutbox: {
      deletable: sql`projected_at IS NOT NULL`,
      alsoSet: (ids: readonly string[]) =>
        sql`projected_at = CASE WHEN event_id = ANY(${take(ids)}::text[]) THEN clock_timestamp() ELSE projected_at END`,
    },
    flush: () => last,
  };
}
