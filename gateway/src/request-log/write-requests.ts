import type { Caller } from "@shipping/kit/caller";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { type Loop, startLoop } from "@shipping/kit/process/loop";
import sql, { join, raw } from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import { COLUMN_NAMES, COLUMNS, type LogRow } from "./logged-request.js";

export interface Count extends Caller {
  outcome: string;
  count: number;
}

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs">;

/**
 * Writes requests and counts in one statement, without waiting for the disk. The time of a request is the database's time minus the request's age by
 * this process's clock, so wrong clocks of gateways change neither the order of the rows nor their partitions. Rows of an account whose erasure has
 * begun are not written, because a row can wait here for longer than the erasure takes.
 */
export async function writeRequests(deps: Deps, rows: readonly LogRow[], counts: readonly Count[]): Promise<void> {
  const now = performance.now();
  const ages = toArray(rows.map(({ endedAt }) => now - endedAt));
  const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  const columns = names.map((name) => sql`${toArray(rows.map((row) => row[name]))}::${raw(COLUMNS[name])}[]`);
  // The order is always the same, so that two gateways cannot deadlock on rows of counts.
  const counted = counts.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
  const accounts = new Set([...rows, ...counts].map(({ accountId = "" }) => accountId));
  await deps.db.run(sql`
    WITH no_wait_for_disk AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true), ${databaseNow(deps)} AS clock),
    erasing AS (SELECT id FROM accounts WHERE id = ANY (${[...accounts]}::text[]) AND erasing_since IS NOT NULL),
    logged AS (
      INSERT INTO request_log (at, ${COLUMN_NAMES})
      SELECT clock - age * interval '1 millisecond', ${COLUMN_NAMES}
      FROM no_wait_for_disk, unnest(${ages}::float8[], ${join(columns)}) AS ended (age, ${COLUMN_NAMES})
      WHERE coalesce(account_id, '') NOT IN (SELECT id FROM erasing))
    INSERT INTO request_counts (account_id, environment, hour, outcome, count)
    SELECT account_id, environment, date_trunc('hour', clock, 'UTC'), outcome, count
    FROM no_wait_for_disk, unnest(
      ${counted.map(({ accountId }) => accountId)}::text[], ${counted.map(({ environment }) => environment)}::text[],
      ${counted.map(({ outcome }) => outcome)}::text[], ${counted.map(({ count }) => count)}::integer[]
    ) AS counted (account_id, environment, outcome, count)
    WHERE account_id NOT IN (SELECT id FROM erasing)
    ON CONFLICT (account_id, environment, hour, outcome) DO UPDATE SET count = request_counts.count + EXCLUDED.count`);
}

// Renders a PostgreSQL array as text. pg (8.23) takes ten times as long for it, and every write of the API pays for this.
function toArray(values: readonly (string | number | boolean | undefined)[]): string {
  return `{${values.map((value) => (value === undefined ? "NULL" : quoted(String(value)))).join()}}`;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
}

function toKey({ accountId, environment, outcome }: Count): string {
  return `${accountId} ${environment} ${outcome}`;
}

export async function isAnyLogged({ db }: Pick<Deps, "db">, rows: readonly LogRow[]): Promise<boolean> {
  const ids = rows.map(({ requestId }) => requestId);
  const found = await db.run(
    sql`SELECT FROM unnest(${ids}::text[]) AS asked (id) JOIN request_log ON request_id = asked.id LIMIT 1`,
  );
  return found.length > 0;
}

const EVERY_MS = 1_800_000;

const COUNT_DAYS = 30;

/** Creates the partitions of the coming days, drops those that are too old, and deletes old counts. Several gateways can do this at once. */
export async function keepPartitionsOnce(
  deps: Deps & { requestLogDays: number },
): Promise<{ made: number; dropped: number; counts: number }> {
  const now = databaseNow(deps);
  const [kept] = await deps.db.run<{ made: number; dropped: number }>(
    sql`SELECT made, dropped FROM keep_request_log(${now}, ${deps.requestLogDays}::integer)`,
  );
  const counts = await deps.db.run(
    sql`DELETE FROM request_counts WHERE hour < ${now} - ${COUNT_DAYS * 24 + 1} * interval '1 hour' RETURNING outcome`,
  );
  return { made: kept?.made ?? 0, dropped: kept?.dropped ?? 0, counts: counts.length };
}

export function keepPartitions(deps: Deps & Pick<GatewayDeps, "log"> & { requestLogDays: number }): Loop {
  const once = () =>
    keepPartitionsOnce(deps).catch((err) => {
      deps.log.warn({ err }, "request log partitions not created yet: database not reachable");
    });
  const loop = startLoop({ name: "keep-request-log", everyMs: EVERY_MS, log: deps.log, once });
  loop.wake();
  return loop;
}
