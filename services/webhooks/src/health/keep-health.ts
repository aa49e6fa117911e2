import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { addEnd, type CountedEnd, newTally, startOfHour, type Tally } from "./tally.js";

/**
 * Keeps the health of subscriptions, apart from their deliveries: ends of attempts are counted in the process and written each second, in
 * one statement for all subscriptions that had any. So this costs a delivery next to nothing. A process that is killed loses only its last
 * second of counts.
 */
export interface HealthKeeper {
  /** Counts an attempt whose end has been recorded. */
  count(end: CountedEnd): void;
  /** Writes the counts, and returns the number of subscriptions. */
  flushOnce(): Promise<number>;
}

interface Counted {
  hour: Date;
  tallies: Tally[];
}

/** The most flushes that wait while the database is away: a minute's. The oldest is dropped first. */
const MAX_WAITING = 60;

/** Creates a keeper without counts. */
export function createHealthKeeper(db: Pick<Database, "run">): HealthKeeper {
  let counting = new Map<number, Map<string, Tally>>();
  const waiting: Counted[] = [];

  function count(end: CountedEnd): void {
    const tallies = entryOf(counting, startOfHour(end.at), () => new Map());
    addEnd(
      entryOf(tallies, end.subscriptionId, () => newTally(end.subscriptionId)),
      end,
    );
  }

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

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

// Sorted, so that no two replicas wait for each other's rows. Late counts of a slower replica must not hide those of another:
// `failing_since` is the earliest of all known failures after the last success.
// Erased subscriptions are left out. If one is erased while this runs, the foreign key refuses the statement, and the next attempt leaves it out.
async function write(db: Pick<Database, "run">, { hour, tallies }: Counted): Promise<void> {
  await db.run(sql`
    WITH ended AS (
      SELECT ended.* FROM unnest(
        ${tallies.map((t) => t.subscriptionId)}::text[],
        ${tallies.map((t) => t.delivered)}::integer[],
        ${tallies.map((t) => t.failed)}::integer[],
        ${tallies.map((t) => t.exhausted)}::integer[],
        ${tallies.map((t) => t.lastSuccessAt)}::timestamptz[],
        ${tallies.map((t) => t.lastFailureAt)}::timestamptz[],
        ${tallies.map((t) => t.reason)}::text[],
        ${tallies.map((t) => t.status)}::integer[],
        ${tallies.map((t) => t.failingSince)}::timestamptz[]
      ) AS ended (subscription_id, delivered, failed, given_up, last_success_at, last_failure_at, reason, status, failing_since)
      JOIN subscriptions AS s ON s.id = ended.subscription_id
      WHERE NOT EXISTS (SELECT FROM held_accounts AS held WHERE held.account_id = s.account_id AND held.erased_at IS NOT NULL)
      ORDER BY subscription_id),
    counted AS (
      INSERT INTO subscription_hours AS h (hour, subscription_id, delivered, failed, given_up)
      SELECT ${hour}, subscription_id, delivered, failed, given_up FROM ended ORDER BY subscription_id
      ON CONFLICT (hour, subscription_id) DO UPDATE SET
        delivered = h.delivered + excluded.delivered,
        failed = h.failed + excluded.failed,
        given_up = h.given_up + excluded.given_up)
    INSERT INTO subscription_health AS h
      (subscription_id, last_success_at, last_failure_at, last_failure_reason, last_failure_status, failing_since)
    SELECT subscription_id, last_success_at, last_failure_at, reason, status, failing_since FROM ended ORDER BY subscription_id
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
      told_at = CASE WHEN excluded.last_success_at < h.failing_since OR excluded.last_success_at IS NULL THEN h.told_at END,
      telling_until = CASE WHEN excluded.last_success_at < h.failing_since OR excluded.last_success_at IS NULL THEN h.telling_until END`);
}
