import { randomBytes } from "node:crypto";
import { newEvent } from "@shipping/kit/ledger/outbox";
import type { Database } from "@shipping/kit/postgres/database";
import { microBatch } from "@shipping/kit/postgres/micro-batch";
import { sign } from "@shipping/webhooks/dispatch/signature";
import { newSecret } from "@shipping/webhooks/subscriptions/subscription";
import sql from "sql-template-tag";
import { Pool } from "undici";

interface Outcome {
  eventId: string;
  status: number;
  ms: number;
}

const UNDER_WAY = 64;
const OF_ONE_STATEMENT = 100;

/** Delivers `count` events of that data to a receiver: signs, posts, and records each outcome durably before the next one begins. */
export async function deliver(
  db: Database,
  { url, count, data }: { url: string; count: number; data: string },
): Promise<{ operations: number; seconds: number }> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: UNDER_WAY });
  const secret = newSecret(randomBytes);
  const record = microBatch<Outcome, undefined>({
    max: OF_ONE_STATEMENT,
    run: async (outcomes) => {
      await recordOutcomes(db, outcomes);
      return [];
    },
  });
  let left = count;

  async function deliverOne(): Promise<void> {
    const now = new Date();
    const caller = { accountId: "floor", environment: "sandbox" } as const;
    const event = newEvent({ type: "shipment.created", caller, data, now, random: randomBytes });
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "service-event-id": event.id,
      "service-signature": sign(secret, Math.floor(now.getTime() / 1000), event.body),
    };
    const begun = performance.now();
    const response = await pool.request({ method: "POST", path: pathname, headers, body: event.body });
    await response.body.dump();
    await record({ eventId: event.id, status: response.statusCode, ms: Math.round(performance.now() - begun) });
  }

  async function work(): Promise<void> {
    while (left-- > 0) await deliverOne();
  }

  const begun = performance.now();
  await Promise.all(Array.from({ length: UNDER_WAY }, work));
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  return { operations: count, seconds };
}

async function recordOutcomes(db: Database, outcomes: readonly Outcome[]): Promise<void> {
  await db.run(sql`
    INSERT INTO deliveries (event_id, state, status, ms)
    SELECT event_id, CASE WHEN status < 300 THEN 'delivered' ELSE 'failed' END, status, ms
    FROM unnest(
      ${outcomes.map(({ eventId }) => eventId)}::text[],
      ${outcomes.map(({ status }) => status)}::integer[],
      ${outcomes.map(({ ms }) => ms)}::integer[]) AS ended (event_id, status, ms)`);
}
