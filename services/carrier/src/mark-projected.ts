import { coalesce } from "@shipping/kit/coalesce";
import type { Database } from "@shipping/kit/database";
import type { Log } from "@shipping/kit/log";
import sql from "sql-template-tag";

const BATCH = 256;
const GATHER_MS = 25;

/** Notes in the outbox which events records and tracking have, off the path of the answer. */
export interface ProjectedMarks {
  /** Marks an event soon. A mark that is lost costs a repetition and nothing else. */
  add(eventId: string): void;
  /** Waits for the marks under way. */
  flush(): Promise<void>;
}

/** Marks in the outbox of this database; events of a moment share a statement. */
export function createProjectedMarks(db: Database, log: Log): ProjectedMarks {
  // One lane: marks end in the order in which they were added.
  const mark = coalesce<string, undefined>({
    lanes: 1,
    max: BATCH,
    gatherMs: GATHER_MS,
    waitMs: Number.POSITIVE_INFINITY,
    async run(ids) {
      // Rows are locked in the order in which the outbox locks them for its own marks.
      await db.run(sql`
        UPDATE outbox SET projected_at = clock_timestamp()
        WHERE id IN (SELECT id FROM outbox WHERE event_id = ANY(${ids}::text[]) ORDER BY id FOR UPDATE)`);
      return [];
    },
  });
  let last = Promise.resolve<undefined>(undefined);

  return {
    add(eventId) {
      last = mark(eventId).catch((err) => {
        log.warn({ err, event: eventId }, "projection not marked; the worker repeats it");
        return undefined;
      });
    },
    async flush() {
      await last;
    },
  };
}
