import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { eventFor, eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import { MAX_IN_FLIGHT, readBacklog } from "./ready-queue.js";

const MINUTE_MS = 60_000;

const webhooks = webhooksUnderTest(beforeEach, afterEach);

describe("readBacklog", () => {
  test("counts due deliveries that are not claimed, and returns how long the oldest has been due", async () => {
    expect(await readBacklog(webhooks.replica())).toEqual({ due: 0, oldestSeconds: 0 });
    const inbox = webhooks.idle();
    for (let n = 1; n <= 3; n++) {
      const caller = newCaller();
      await subscribe(inbox, caller, "https://example.com/hook");
      await acceptEvents(inbox, eventsFor(caller, n));
    }
    const { due, oldestSeconds } = await readBacklog({ db: webhooks.db, clockOffsetMs: MINUTE_MS });
    expect(due).toBe(6);
    expect(oldestSeconds).toBeGreaterThanOrEqual(60);
    const early = await readBacklog({ db: webhooks.db, clockOffsetMs: -MINUTE_MS });
    expect(early).toEqual({ due: 0, oldestSeconds: 0 });
  });

  test("counts no more than ten thousand, in whatever number of subscriptions", async () => {
    const caller = newCaller();
    for (let n = 0; n < 2; n++) await subscribe(webhooks.replica(), caller, "https://example.com/hook");
    await webhooks.db.run(sql`
      INSERT INTO deliveries (account_id, subscription_id, event_id, state, attempt, next_at)
      SELECT account_id, id, 'evt_' || number, 'pending', 0, now() FROM subscriptions, generate_series(1, 5001) AS number`);
    expect(await readBacklog({ db: webhooks.db, clockOffsetMs: MINUTE_MS })).toMatchObject({ due: 10_000 });
  });

  test("does not count a delivery that waits for its own slow receiver as late", async () => {
    const inbox = webhooks.idle();
    const caller = newCaller();
    const { id } = await subscribe(inbox, caller, "https://example.com/hook");
    await acceptEvents(inbox, [eventFor(caller)]);
    const later = { db: webhooks.db, clockOffsetMs: MINUTE_MS };
    const full = (inFlight: number, streak: number) =>
      webhooks.db.run(
        sql`UPDATE ready_queue SET in_flight = ${inFlight}, fail_streak = ${streak} WHERE subscription_id = ${id}`,
      );
    for (const [inFlight, streak] of [
      [MAX_IN_FLIGHT, 0],
      [2, 3],
    ] as const) {
      await full(inFlight, streak);
      expect(await readBacklog(later)).toEqual({ due: 1, oldestSeconds: 0 });
      await full(inFlight - 1, streak);
      expect((await readBacklog(later)).oldestSeconds).toBeGreaterThanOrEqual(60);
    }
  });

  test("is shown by the running service, next to the bus", async () => {
    const { metrics } = await webhooks.running();
    const text = await metrics!.render();
    expect(text).toContain('\nwebhooks_deliveries_due{part="webhooks"} 0\n');
    expect(text).toContain('\nwebhooks_oldest_due_seconds{part="webhooks"} 0\n');
    expect(text).toContain('\nbus_connected{part="webhooks"} 1\n');
  });
});
