import sql, { type Sql } from "sql-template-tag";
import type { Metrics } from "../process/metrics.js";
import type { Database } from "./database.js";

interface Clock {
  /** Tests move the time with it. It is 0 everywhere else. */
  clockOffsetMs?: number;
}

/** Selects the time of the database, which all processes share, `plusMs` later. */
export function databaseNow({ clockOffsetMs = 0 }: Clock, plusMs = 0): Sql {
  return sql`(clock_timestamp() + ${clockOffsetMs + plusMs}::float8 * interval '1 ms')`;
}

/** Selects the start of the current window of so many minutes. All processes count in the same windows. */
export function windowStart(clock: Clock, minutes: number): Sql {
  return sql`date_bin(${minutes} * interval '1 minute', ${databaseNow(clock)}, timestamptz '2000-01-01 00:00Z')`;
}

/**
 * Measures by how many seconds the database's clock is ahead of this process's clock (negative if it is behind). The process's time is
 * taken halfway between question and answer, so the error is at most half a round trip.
 */
export function measureClock(metrics: Metrics, db: Pick<Database, "run">, nowMs = () => Date.now()): void {
  const help = { database_clock_ahead_seconds: "Seconds by which the database's clock is ahead of this process's." };
  metrics.gauges(help, async () => {
    const asked = nowMs();
    const [row] = await db.run<{ at: number }>(sql`SELECT extract(epoch FROM clock_timestamp())::float8 AS at`);
    return { database_clock_ahead_seconds: row!.at - (asked + nowMs()) / 2_000 };
  });
}
