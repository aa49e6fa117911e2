import type { Caller } from "@shipping/kit/caller";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { ownedSql } from "@shipping/kit/postgres/owned/read-owned";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import sql from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import { columnEquals } from "./read-request.js";

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs">;

export interface HourOfRequests {
  hour: Date;
  reads: number;
  /** The number of successful writes, without replays. */
  writes: number;
  replays: number;
  /** The number of 4xx responses, and of those for which no carrier is configured. */
  refused: number;
  /** The number of other 5xx responses. */
  failed: number;
  /** The number of requests whose client disconnected early. */
  aborted: number;
}

export interface Refusals {
  code: ErrorCode;
  count: number;
}

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** Counts a caller's requests of the last 24 hours: by hour, oldest first, up to the current one; and errors by code, most frequent first. Up to 20 s late. */
export async function countRequests(
  deps: Deps,
  caller: Caller,
): Promise<{ hours: HourOfRequests[]; refusals: Refusals[] }> {
  const rows = await deps.db.run<{ thisHour: Date; hour: Date | null; outcome: string; count: number }>(sql`
    WITH now AS (SELECT date_trunc('hour', ${databaseNow(deps)}, 'UTC') AS "thisHour")
    SELECT "thisHour", hour, outcome, count FROM now
    LEFT JOIN request_counts ON ${ownedSql(caller)} AND hour > "thisHour" - ${HOURS} * interval '1 hour' AND hour <= "thisHour"`);
  const thisHour = rows[0]?.thisHour.getTime() ?? 0;
  const hours = Array.from({ length: HOURS }, (_, index): HourOfRequests => {
    const hour = new Date(thisHour - (HOURS - 1 - index) * HOUR_MS);
    return { hour, reads: 0, writes: 0, replays: 0, refused: 0, failed: 0, aborted: 0 };
  });
  const byTime = new Map(hours.map((each) => [each.hour.getTime(), each]));
  const codes = new Map<ErrorCode, number>();
  for (const { hour, outcome, count } of rows) {
    const counted = hour && byTime.get(hour.getTime());
    if (counted) counted[getKind(outcome)] += count;
    if (isCode(outcome)) codes.set(outcome, (codes.get(outcome) ?? 0) + count);
  }
  const refusals = [...codes].map(([code, count]) => ({ code, count }));
  refusals.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  return { hours, refusals };
}

function getKind(outcome: string): Exclude<keyof HourOfRequests, "hour"> {
  // The specification requires this 503 in the live environment, so it is no fault of the platform.
  if (outcome === "carrier_not_configured") return "refused";
  if (isCode(outcome)) return errors[outcome].status < 500 ? "refused" : "failed";
  return ({ read: "reads", write: "writes", replay: "replays" } as const)[outcome] ?? "aborted";
}

function isCode(outcome: string): outcome is ErrorCode {
  return Object.hasOwn(errors, outcome);
}

/** The most requests of a key that are counted. */
const MAX_OF_KEY = 3_000;

/** A key's logged requests by their result. */
export interface KeyCounts {
  writes: number;
  replays: number;
  refusals: { code: string; count: number }[];
  /** The time of the oldest one; set only if there are more. */
  countedSince?: Date;
}

/** Counts the newest logged requests of a key. Similar requests that are not listed count with the one that is. */
export async function countKeyRequests({ db }: Deps, caller: Caller, keyId: string): Promise<KeyCounts> {
  const rows = await db.run<{ code: string | null; replayed: boolean; listed: number; count: number; since: Date }>(sql`
    SELECT code, replayed, count(*)::integer AS listed, sum(1 + more)::integer AS count, min(at) AS since FROM (
      SELECT at, code, replayed, more FROM request_log
      WHERE ${columnEquals("key_id", caller, keyId)} ORDER BY at DESC LIMIT ${MAX_OF_KEY}) AS newest
    GROUP BY code, replayed`);
  const sum = (wanted: readonly { count: number }[]) => wanted.reduce((total, { count }) => total + count, 0);
  const succeeded = rows.filter(({ code }) => code === null);
  const failed = [...new Set(rows.flatMap(({ code }) => code ?? []))].map((code) => ({
    code,
    count: sum(rows.filter((row) => row.code === code)),
  }));
  const since = Math.min(...rows.map(({ since }) => since.getTime()));
  return {
    writes: sum(succeeded.filter(({ replayed }) => !replayed)),
    replays: sum(succeeded.filter(({ replayed }) => replayed)),
    refusals: failed.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
    ...(rows.reduce((total, { listed }) => total + listed, 0) === MAX_OF_KEY && { countedSince: new Date(since) }),
  };
}
