import { lockedRows } from "@shipping/kit/ledger/outbox-publisher";
import type { Database } from "@shipping/kit/postgres/database";
import { backgroundBatch } from "@shipping/kit/postgres/micro-batch";
import type { Log } from "@shipping/kit/process/log";
import sql from "sql-template-tag";

/** The condition on a row of the outbox that records and tracking have applied its event. */
export const PROJECTED = sql`projected_at IS NOT NULL`;

/** Marks in the outbox which events records and tracking have applied, in the background. */
export interface ProjectedMarks {
  /** Marks an event soon. A lost mark only causes a repetition. */
  add(eventId: string): void;
  /** Waits for the marks under way. */
  flush(): Promise<void>;
}

/** Creates the marks in the outbox of this database. Events that come together share a statement. */
export function createProjectedMarks(db: Database, log: Log): ProjectedMarks {
  const mark = backgroundBatch<string>((ids) =>
    db.run(sql`UPDATE outbox SET projected_at = clock_timestamp() WHERE ${lockedRows(ids)}`),
  );
  let last = Promise.resolve();

  return {
    add(eventId) {
      last = mark(eventId).catch((err) => {
        log.warn({ err, event: eventId }, "projection not marked; the worker repeats it");
      });
    },
    async flush() {
      await last;
    },
  };
}
