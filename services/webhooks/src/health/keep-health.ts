import { type Columns, type Row, unnestRows } from "@shipping/kit/postgres/columns";
import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { clock, type SubscriptionDeps } from "../subscriptions/deps.js";
import { type FailureReason, isOurs } from "./failure-reason.js";

export type HealthKeeper = ReturnType<typeof createHealthKeeper>;

const tallyColumns = {
  subscriptionId: "text",
  delivered: "integer",
  failed: "integer",
  exhausted: "integer",
  lastSuccessAt: "timestamptz?",
  lastFailureAt: "timestamptz?",
  reason: "text?",
  status: "integer?",
  failingSince: "timestamptz?",
} as const satisfies Columns;

interface Counted {
  hour: Date;
  tallies: Tally[];
}

/** The most flushes that wait while the database is away, which is a minute's. The oldest is dropped first. */
const MAX_WAITING = 60;

/**
 * Keeps the health of subscriptions, apart from their deliveries: ends of attempts are counted in the process and written each second, in
 * one statement for all subscriptions that had any. This adds almost no cost to a delivery. A process that is killed loses only its last
 * second of counts.
 */
export function createHealthKeeper(db: Pick<Database, "run">) {
  let counting = new Map<number, Map<string, Tally>>();
  const waiting: Counted[] = [];

  /** Counts an attempt whose end is stored. */
  function count(end: CountedEnd): void {
    const tallies = getOrCreate(counting, startOfHour(end.at), () => new Map());
    const tally = getOrCreate(tallies, end.subscriptionId, () => newTally(end.subscriptionId));
    addEnd(tally, end);
  }

  /** Writes the counts, and returns the number of subscriptions. */
  async function flushOnce(): Promise<number> {
    for (const [hour, tallies] of counting) waiting.push({ hour: new Date(hour), tallies: [...tallies.values()] });
    counting = new Map();
    waiting.splice(0, waiting.length - MAX_WAITING);
    let written = 0;
    for (let next = waiting[0]; next; next = waiting[0]) {
      await write(db, next);
      waiting.shift();
      written += next.tallies.length;
    }
    return written;
  }

  return { count, flushOnce };
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

// The rows are sorted, so that no two replicas wait for each other. Late counts of a slower replica must not hide those of another:
// `failing_since` is the earliest of all known failures after the last success. Erased subscriptions are left out. If one is erased
// meanwhile, the foreign key refuses the statement, and the next attempt leaves it out.
async function write(db: Pick<Database, "run">, { hour, tallies }: Counted): Promise<void> {
  await db.run(sql`
    WITH ended AS (
      SELECT given.*, s.account_id FROM ${unnestRows(tallyColumns, tallies)}
      JOIN subscriptions AS s ON s.id = given.subscription_id
      WHERE NOT EXISTS (SELECT FROM held_accounts AS a WHERE a.account_id = s.account_id AND a.erased_at IS NOT NULL)
      ORDER BY subscription_id),
    counted AS (
      INSERT INTO subscription_hours AS h (hour, subscription_id, account_id, delivered, failed, exhausted)
      SELECT ${hour}, subscription_id, account_id, delivered, failed, exhausted FROM ended ORDER BY subscription_id
      ON CONFLICT (hour, subscription_id) DO UPDATE SET
        delivered = h.delivered + excluded.delivered,
        failed = h.failed + excluded.failed,
        exhausted = h.exhausted + excluded.exhausted)
    INSERT INTO subscription_health AS h
      (subscription_id, account_id, last_success_at, last_failure_at, last_failure_reason, last_failure_status, failing_since)
    SELECT subscription_id, account_id, last_success_at, last_failure_at, reason, status, failing_since
    FROM ended ORDER BY subscription_id
    ON CONFLICT (subscription_id) DO UPDATE SET
      (last_failure_reason, last_failure_status) = (
        SELECT CASE WHEN newer THEN excluded.last_failure_reason ELSE h.last_failure_reason END,
          CASE WHEN newer THEN excluded.last_failure_status ELSE h.last_failure_status END
        FROM (SELECT coalesce(excluded.last_failure_at >= coalesce(h.last_failure_at, '-infinity'), false) AS newer) AS the),
      last_success_at = greatest(h.last_success_at, excluded.last_success_at),
      last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at),
      failing_since = (
        SELECT min(at) FROM unnest(ARRAY[h.failing_since, h.last_failure_at, excluded.failing_since, excluded.last_failure_at]) AS at
        WHERE at > coalesce(greatest(h.last_success_at, excluded.last_success_at), '-infinity')),
      alerted_at = CASE WHEN excluded.last_success_at < h.failing_since OR excluded.last_success_at IS NULL THEN h.alerted_at END,
      alert_lease_until = CASE WHEN excluded.last_success_at < h.failing_since OR excluded.last_success_at IS NULL THEN h.alert_lease_until END`);
}

/** The counted properties of a finished attempt. */
export interface CountedEnd {
  subscriptionId: string;
  at: Date;
  delivered: boolean;
  /** True if this was the last attempt and failed, which makes the delivery `exhausted`. */
  exhausted: boolean;
  status?: number | undefined;
  reason?: FailureReason | undefined;
}

/**
 * The attempts of one subscription within one hour, and the last end of each kind. The reason is `status` if the receiver answered;
 * `failingSince` is the first failure after the last success.
 */
type Tally = Row<typeof tallyColumns>;

const HOUR_MS = 3_600_000;

function startOfHour(at: Date): number {
  return Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
}

function newTally(subscriptionId: string): Tally {
  const counts = { delivered: 0, failed: 0, exhausted: 0 };
  const last = { lastSuccessAt: null, lastFailureAt: null, reason: null, status: null, failingSince: null };
  return { subscriptionId, ...counts, ...last };
}

/**
 * Adds a finished attempt to its tally. If our process ended the attempt, only `exhausted` counts, because the receiver is not at fault.
 */
function addEnd(tally: Tally, { at, delivered, exhausted, status, reason }: CountedEnd): void {
  if (exhausted) tally.exhausted += 1;
  if (delivered) {
    tally.delivered += 1;
    tally.lastSuccessAt = at;
    tally.failingSince = null;
  } else if (!isOurs(reason)) {
    tally.failed += 1;
    tally.lastFailureAt = at;
    tally.failingSince ??= at;
    tally.reason = reason ?? "status";
    tally.status = reason ? null : (status ?? null);
  }
}

/** The time over which the health of a subscription reaches back. */
export const HEALTH_DAYS = 30;

const BATCH = 5_000;

/** Deletes hours that no page shows any more, one batch at a time. Replicas take different batches. */
export async function sweepHoursOnce(deps: Pick<SubscriptionDeps, "db" | "clockOffsetMs">): Promise<number> {
  let gone = 0;
  for (;;) {
    const deleted = await deps.db.run(sql`
      WITH ${clock(deps)},
      over AS (
        SELECT ctid FROM subscription_hours
        WHERE hour < (SELECT now FROM clock) - ${HEALTH_DAYS}::integer * interval '1 day' - interval '1 hour'
        ORDER BY hour LIMIT ${BATCH}
        FOR UPDATE SKIP LOCKED)
      DELETE FROM subscription_hours WHERE ctid = ANY (ARRAY(SELECT ctid FROM over)) RETURNING hour`);
    gone += deleted.length;
    if (deleted.length < BATCH) return gone;
  }
}
