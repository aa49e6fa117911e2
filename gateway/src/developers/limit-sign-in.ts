import { fail } from "@shipping/kit/errors";
import sql, { type Sql } from "sql-template-tag";
import { clock } from "../registry.js";
import type { PageDeps } from "./page.js";

type Deps = Pick<PageDeps, "db" | "clockOffsetMs">;

const MOST_REFUSALS = 100;
export const WINDOW_MINUTES = 10;

/** Turns an address away once so many of its attempts were refused in this window, whatever it brings now. */
export async function limitSignIn(deps: Deps, source: string): Promise<void> {
  const [row] = await deps.db.run<{ count: number }>(sql`
    SELECT count FROM sign_in_refusals WHERE source = ${source} AND since = ${windowStart(deps)}`);
  if (row && row.count >= MOST_REFUSALS) {
    throw fail("rate_limited", `Too many attempts to sign in from your address. Wait ${WINDOW_MINUTES} minutes.`);
  }
}

/** Counts an attempt that was refused. */
export async function countRefusal(deps: Deps, source: string): Promise<void> {
  await deps.db.run(sql`
    INSERT INTO sign_in_refusals AS r (source, since, count) VALUES (${source}, ${windowStart(deps)}, 1)
    ON CONFLICT (source, since) DO UPDATE SET count = r.count + 1`);
}

/** When the window of time that is now began. */
export function windowStart(deps: Deps): Sql {
  return sql`date_bin(${WINDOW_MINUTES} * interval '1 minute', ${clock(deps)}, timestamptz '2000-01-01 00:00Z')`;
}
