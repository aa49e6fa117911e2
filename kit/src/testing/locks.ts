import sql from "sql-template-tag";
import type { Database } from "../postgres/database.js";
import { eventually } from "./eventually.js";

/** Resolves once this many statements on the database wait for a lock. */
export function lockWaits({ run }: Pick<Database, "run">, count = 1): Promise<void> {
  const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return eventually(async () => {
    const found = (await run(waiting)).length;
    if (found !== count) throw new Error(`${found} statements wait for a lock, not ${count}.`);
  });
}
