import type { Caller } from "@shipping/kit/caller";
import { ownedSql } from "@shipping/kit/postgres/read-owned";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import sql from "sql-template-tag";
import { clock, type GatewayDeps } from "../database/deps.js";

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs">;

export interface HourOfRequests {
  hour: Date;
  reads: number;
  /** Writes that succeeded, without replays. */
  writes: number;
  replays: number;
  /** Responses 4xx. */
  refused: number;
  /** Responses 5xx. */
  failed: number;
  /** The client disconnected early. */
  aborted: number;
}

export interface Refusals {
  code: ErrorCode;
  status: number;
  count: number;
}

const HOURS = 24;
const HOUR_MS = 3_600_000;

interface Row {
  hour: Date;
  outcome: string;
  count: number;
}

/** Counts a caller's requests in the last 24 hours, oldest hour first, up to the current one. Up to 20 s late. */
export async function requestsByHour(deps: Deps, caller: Caller): Promise<HourOfRequests[]> {
  const { rows, thisHour } = await readCounts(deps, caller);
  const none = { reads: 0, writes: 0, replays: 0, refused: 0, failed: 0, aborted: 0 };
  const hours = Array.from({ length: HOURS }, (_, index): HourOfRequests => {
    return { hour: new Date(thisHour - (HOURS - 1 - index) * HOUR_MS), ...none };
  });
  const byTime = new Map(hours.map((each) => [each.hour.getTime(), each]));
  for (const { hour, outcome, count } of rows) {
    const counted = byTime.get(hour.getTime());
    if (counted) counted[getKind(outcome)] += count;
  }
  return hours;
}

/** Counts a caller's errors in the last 24 hours by code, most frequent first. */
export async function refusalsByCode(deps: Deps, caller: Caller): Promise<Refusals[]> {
  const { rows } = await readCounts(deps, caller);
  const counts = new Map<ErrorCode, number>();
  for (const { outcome, count } of rows) {
    if (isCode(outcome)) counts.set(outcome, (counts.get(outcome) ?? 0) + count);
  }
  return [...counts]
    .map(([code, count]) => ({ code, status: errors[code].status, count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

async function readCounts(deps: Deps, caller: Caller): Promise<{ rows: Row[]; thisHour: number }> {
  const rows = await deps.db.run<Row & { thisHour: Date }>(sql`
    WITH now AS (SELECT date_trunc('hour', ${clock(deps)}, 'UTC') AS "thisHour")
    SELECT "thisHour", hour, outcome, count FROM now
    LEFT JOIN request_counts ON ${ownedSql(caller)} AND hour > "thisHour" - ${HOURS} * interval '1 hour' AND hour <= "thisHour"`);
  const thisHour = rows[0]?.thisHour.getTime() ?? 0;
  return { rows: rows.filter(({ outcome }) => outcome !== null), thisHour };
}

function getKind(outcome: string): Exclude<keyof HourOfRequests, "hour"> {
  if (isCode(outcome)) return errors[outcome].status < 500 ? "refused" : "failed";
  return ({ read: "reads", write: "writes", replay: "replays" } as const)[outcome] ?? "aborted";
}

function isCode(outcome: string): outcome is ErrorCode {
  return Object.hasOwn(errors, outcome);
}
