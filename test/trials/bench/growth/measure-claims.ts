import { randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import { testDatabase } from "@shipping/kit/testing/database";
import { migrationFolders } from "@shipping/local/parts";
import { createAttempts } from "@shipping/webhooks/dispatch/attempts";
import type { DispatchDeps } from "@shipping/webhooks/dispatch/deps";
import { dispatchOnce } from "@shipping/webhooks/dispatch/dispatch-deliveries";
import sql from "sql-template-tag";
import { percentile } from "../open-loop.js";

/** Number of deliveries among which the dispatcher looks for due ones. */
export interface Backlog {
  subscriptions: number;
  done: number;
  due: number;
}

/** Duration of a claim, in milliseconds, and the number of deliveries in it. */
export interface ClaimResult extends Backlog {
  p50: number;
  p99: number;
  claimedEach: number;
}

const CLAIMS = 100;
const SLOTS = 64;
const CHUNK = 5_000;

/** Measures the dispatcher's claim on a backlog in a database of its own, without other dispatchers. */
export async function measureClaims(postgresUrl: string, backlog: Backlog): Promise<ClaimResult> {
  const { db, drop } = await testDatabase({ directory: migrationFolders.webhooks, url: postgresUrl });
  try {
    await loadBacklog(db, backlog);
    const attempts = createAttempts({ max: SLOTS, run: async () => {}, onFree: () => {} });
    const deps = { db, attempts, clockOffsetMs: 0 } as DispatchDeps;
    const times: number[] = [];
    let claimed = 0;
    while (times.length < CLAIMS) {
      const begun = performance.now();
      claimed += await dispatchOnce(deps);
      times.push(performance.now() - begun);
    }
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
    return { ...backlog, p50, p99, claimedEach: claimed / CLAIMS };
  } finally {
    await drop();
  }
}

/** Loads it: completed deliveries are those of a month, due ones fell due in the last hour. */
export async function loadBacklog(db: Database, { subscriptions, done, due }: Backlog): Promise<void> {
  const accountId = newId("acc", randomBytes);
  await db.run(sql`
    WITH made AS (
      INSERT INTO subscriptions (id, account_id, environment, url, events, status, secret, created_at)
      SELECT 'whk_' || n, ${accountId}, 'sandbox', 'https://receiver.example/', ARRAY['shipment.created'], 'active',
        '\\x026b31'::bytea, now()
      FROM generate_series(0, ${subscriptions - 1}::integer) AS n RETURNING id)
    INSERT INTO ready_queue (subscription_id) SELECT id FROM made`);
  for (let first = 0; first < done + due; first += CHUNK) {
    const last = Math.min(first + CHUNK, done + due) - 1;
    await db.run(sql`
      WITH made AS MATERIALIZED (
        SELECT n, 'evt_' || md5(n::text) AS event_id, 'whk_' || n % ${subscriptions}::integer AS subscription_id, n >= ${done}::integer AS is_due
        FROM generate_series(${first}::integer, ${last}::integer) AS n),
      event AS (
        INSERT INTO events (id, type, account_id, environment, body, received_at)
        SELECT event_id, 'shipment.created', ${accountId}, 'sandbox', convert_to(repeat('x', 500), 'UTF8'), now() FROM made)
      INSERT INTO deliveries (subscription_id, event_id, state, attempt, next_at, last_status, last_ms)
      SELECT subscription_id, event_id, CASE WHEN is_due THEN 'pending' ELSE 'delivered' END, 1 - is_due::integer,
        CASE WHEN is_due THEN now() - random() * interval '1 hour' END, CASE WHEN NOT is_due THEN 200 END, CASE WHEN NOT is_due THEN 20 END
      FROM made`);
  }
  await db.pool.query("ANALYZE");
}
