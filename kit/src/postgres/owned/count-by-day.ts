import sql, { raw } from "sql-template-tag";
import type { Caller } from "../../caller.js";
import { fail } from "../../errors.js";
import { ownedInIndex, type ReadDeps } from "./read-owned.js";
import { MAX_MATCHES } from "./search-owned.js";

/** How many days one request may count. */
const MAX_DAYS = 31;
/** Where counting a day stops at first. A day with more rows is counted by a statement of its own. */
const FEW = 400;
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Counts a caller's rows of each day in UTC by these states, up to 10,001 of each. No statement reads more than about 12,400 rows, so others
 * of the pool's connections do not wait for it.
 */
export async function countByDay(
  { db }: ReadDeps,
  { table, statuses }: { table: string; statuses: readonly string[] },
  caller: Caller,
  days: readonly string[],
): Promise<Record<string, number>[]> {
  if (days.length > MAX_DAYS || days.some((day) => !DAY.test(day) || Number.isNaN(Date.parse(day))))
    throw fail("invalid_request", `days must be at most ${MAX_DAYS} days such as 2026-11-28.`);
  const count = (wanted: readonly string[], most: number) =>
    db.runList<{ day: string; status: string; count: number }>(sql`
      SELECT day, status, (
        SELECT count(*)::integer FROM (
          SELECT FROM ${raw(table)}
          WHERE ${ownedInIndex(caller)} AND status = states.status
            AND created_at >= (day || 'Z')::timestamptz AND created_at < (day || 'Z')::timestamptz + interval '1 day'
          LIMIT ${most}::bigint) AS counted) AS count
      FROM unnest(${[...wanted]}::text[]) AS days (day) CROSS JOIN unnest(${[...statuses]}::text[]) AS states (status)`);
  const counts = new Map(days.map((day): [string, Record<string, number>] => [day, {}]));
  const keep = (rows: Awaited<ReturnType<typeof count>>) => {
    for (const row of rows) counts.get(row.day)![row.status] = row.count;
  };
  keep(await count([...counts.keys()], FEW));
  for (const [day, states] of counts)
    if (Object.values(states).includes(FEW)) keep(await count([day], MAX_MATCHES.filter + 1));
  return days.map((day) => counts.get(day)!);
}
