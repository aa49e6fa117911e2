import sql, { type Sql } from "sql-template-tag";
import type { Metrics } from "../process/metrics.js";
import type { Database } from "./database.js";

/** Selects the database's time, `plusMs` later. Tests move it with `clockOffsetMs`, which is 0 everywhere else. */
export function databaseNow({ clockOffsetMs }: { clockOffsetMs: number }, plusMs = 0): Sql {
  return sql`clock_timestamp() + ${clockOffsetMs + plusMs}::float8 * interval '1 ms'`;
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
