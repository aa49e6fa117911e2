import { newCaller } from "@shipping/kit/testing/writes";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import { readBacklog } from "./ready-queue.js";

const MINUTE_MS = 60_000;

let webhooks: Awaited<ReturnType<typeof webhooksUnderTest>>;
beforeEach(async () => {
  webhooks = await webhooksUnderTest();
});
afterEach(() => webhooks.end());

describe("readBacklog", () => {
  test("counts what is due and not claimed, and says for how long the oldest has been", async () => {
    expect(await readBacklog(webhooks.replica())).toEqual({ due: 0, oldestSeconds: 0 });
    const inbox = webhooks.replica();
    await inbox.attempts.stop(0, () => {});
    for (let n = 1; n <= 3; n++) {
      const caller = newCaller();
      await subscribe(inbox, caller, "https://example.com/hook");
      await acceptEvents(
        inbox,
        Array.from({ length: n }, () => eventFor(caller)),
      );
    }
    const { due, oldestSeconds } = await readBacklog({ db: webhooks.db, clockOffsetMs: MINUTE_MS });
    expect(due).toBe(6);
    expect(oldestSeconds).toBeGreaterThanOrEqual(60);
    const early = await readBacklog({ db: webhooks.db, clockOffsetMs: -MINUTE_MS });
    expect(early).toEqual({ due: 0, oldestSeconds: 0 });
  });

  test("is shown by the running service, next to the bus", async () => {
    const { metrics } = await webhooks.running();
    const text = await metrics!.render();
    expect(text).toContain('\nwebhooks_deliveries_due{part="webhooks"} 0\n');
    expect(text).toContain('\nwebhooks_oldest_due_seconds{part="webhooks"} 0\n');
    expect(text).toContain('\nbus_connected{part="webhooks"} 1\n');
  });
});
