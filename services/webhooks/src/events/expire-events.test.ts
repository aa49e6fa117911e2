import { create, toBinary } from "@bufbuild/protobuf";
import { createLog } from "@shipping/kit/process/log";
import { openTransaction } from "@shipping/kit/testing/database";
import { rowsIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { FilterMissingRequestSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { acceptEvents, deadLetterEvent } from "../dispatch/accept-event.js";
import type { DispatchDeps } from "../dispatch/deps.js";
import { dispatchOnce } from "../dispatch/dispatch-deliveries.js";
import { eventFor, eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { expireOnce } from "./expire-events.js";
import { filterMissing } from "./read-events.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AFTER_RETENTION_MS = 30 * DAY_MS + 2 * HOUR_MS;

const webhooks = webhooksUnderTest(beforeEach, afterEach);
let inbox: DispatchDeps;
beforeEach(() => {
  inbox = webhooks.idle();
});

const after = (ms: number) => webhooks.replica({ clockOffsetMs: ms });

/** Stores this many events with a delivery each, all in this state. */
async function arrived(count: number, state: "delivered" | "exhausted" | "cancelled" | "pending" | "in_flight") {
  const caller = newCaller();
  await subscribe(inbox, caller, "https://example.com/hook");
  const events = eventsFor(caller, count);
  await acceptEvents(inbox, events);
  const ids = events.map(({ id }) => id);
  if (state === "in_flight") {
    await webhooks.db.run(sql`
      UPDATE deliveries SET state = 'in_flight', attempt = 1, next_at = NULL, claim_id = gen_random_uuid(),
        lease_until = now() + interval '60 days'
      WHERE event_id = ANY(${ids}::text[])`);
  } else if (state !== "pending") {
    await webhooks.db.run(
      sql`UPDATE deliveries SET state = ${state}, next_at = NULL WHERE event_id = ANY(${ids}::text[])`,
    );
  }
  return { caller, ids };
}

async function left() {
  const [counts] = await webhooks.db.run(sql`
    SELECT (SELECT count(*) FROM events)::integer AS events, (SELECT count(*) FROM deliveries)::integer AS deliveries`);
  return counts;
}

describe("expireOnce", () => {
  test("removes events after 30 days, with their finished deliveries, whatever their result, and events without deliveries", async () => {
    for (const state of ["delivered", "exhausted", "cancelled"] as const) await arrived(2, state);
    await acceptEvents(inbox, [eventFor(newCaller())]);
    expect(await expireOnce(after(30 * DAY_MS))).toMatchObject({ events: 0, deliveries: 0 });
    expect(await expireOnce(after(AFTER_RETENTION_MS))).toMatchObject({ events: 7, deliveries: 6 });
    expect(await left()).toEqual({ events: 0, deliveries: 0 });
  });

  test("an event stays as long as one of its deliveries is pending or in flight", async () => {
    await arrived(1, "pending");
    await arrived(1, "in_flight");
    const { caller, ids } = await arrived(1, "delivered");
    const { id } = await subscribe(inbox, caller, "https://example.com/other");
    await webhooks.db.run(sql`
      INSERT INTO deliveries (account_id, subscription_id, event_id, state, attempt, next_at)
      VALUES (${caller.accountId}, ${id}, ${ids[0]}, 'pending', 1, now())`);
    expect(await expireOnce(after(AFTER_RETENTION_MS))).toMatchObject({ events: 0, deliveries: 0 });
    expect(await left()).toEqual({ events: 3, deliveries: 4 });
  });

  test("removes dead events of every kind after the same time", async () => {
    const old = eventFor(newCaller());
    await deadLetterEvent(inbox, toBinary(EventSchema, old), "unreadable", "a reason", old.id);
    await deadLetterEvent(inbox, Buffer.from([0xff]), "unreadable", "not protobuf");
    expect(await expireOnce(after(30 * DAY_MS))).toMatchObject({ deadEvents: 0 });
    await deadLetterEvent(after(10 * DAY_MS), Buffer.from([0xfe]), "unreadable", "later");
    expect(await expireOnce(after(AFTER_RETENTION_MS))).toEqual({ events: 0, deliveries: 0, deadEvents: 2 });
    expect(await rowsIn(inbox.db, "dead_events")).toMatchObject([{ reason: "later" }]);
    const request = create(FilterMissingRequestSchema, {
      events: [{ id: old.id, createdAt: new Date().toISOString() }],
    });
    expect((await filterMissing(after(AFTER_RETENTION_MS), request)).missingEventIds).toEqual([]);
  });

  test("takes a small batch, and several replicas at once take different ones", async () => {
    await arrived(1_300, "delivered");
    const replicas = [1, 2, 3].map(() => after(AFTER_RETENTION_MS));
    const counts = await Promise.all(replicas.map(expireOnce));
    expect(Math.max(...counts.map(({ events }) => events))).toBeLessThanOrEqual(500);
    while ((await expireOnce(replicas[0]!)).events > 0);
    expect(await left()).toEqual({ events: 0, deliveries: 0 });
  });

  test("continues beside claims that are held, and delays none", async () => {
    await arrived(20, "delivered");
    await arrived(4, "pending");
    const client = await openTransaction(webhooks.db);
    await client.query("SELECT FROM ready_queue FOR UPDATE");
    await client.query("SELECT FROM deliveries WHERE state = 'pending' FOR UPDATE");
    expect(await expireOnce(after(AFTER_RETENTION_MS))).toMatchObject({ events: 20, deliveries: 20 });
    await client.query("ROLLBACK");

    await arrived(1, "delivered");
    await client.query("BEGIN");
    await client.query("SELECT FROM events FOR UPDATE");
    expect(await expireOnce(after(AFTER_RETENTION_MS))).toMatchObject({ events: 0, deliveries: 0 });
    await client.query("ROLLBACK");
    client.release();
    expect(await dispatchOnce(webhooks.replica())).toBe(4);
  });
});

describe("filterMissing", () => {
  const asked = (deps: DispatchDeps, id: string, createdAt: Date) =>
    filterMissing(deps, create(FilterMissingRequestSchema, { events: [{ id, createdAt: createdAt.toISOString() }] }));

  test("an event that was removed counts as acknowledged", async () => {
    const createdAt = new Date();
    const { ids } = await arrived(1, "delivered");
    const lines: string[] = [];
    const log = createLog({ part: "webhooks", destination: { write: (line: string) => void lines.push(line) } });
    const deps = webhooks.replica({ clockOffsetMs: AFTER_RETENTION_MS, log });
    await expireOnce(deps);
    expect((await asked(deps, ids[0]!, createdAt)).missingEventIds).toEqual([]);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: "warn", events: ids });
  });

  test("an event that never arrived is missing for the whole retention period, for whatever reason it is late", async () => {
    const { id } = eventFor(newCaller());
    const days = (count: number) => new Date(Date.now() - count * DAY_MS);
    expect((await asked(inbox, id, days(29.9))).missingEventIds).toEqual([id]);
    expect((await asked(inbox, id, days(30.1))).missingEventIds).toEqual([]);
  });
});
