import { createLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { disableSubscription } from "../subscriptions/disable-subscription.js";
import { withStatus } from "../testing/receiver.js";
import { expectExactRows, findDelivery, findQueue } from "../testing/stored-deliveries.js";
import { disableRequest, eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import type { DispatchDeps } from "./deps.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import { sweepOnce } from "./sweep-deliveries.js";

const MINUTE = 60_000;
const webhooks = webhooksUnderTest(beforeEach, afterEach, expectExactRows);
let inbox: DispatchDeps;
beforeEach(() => {
  inbox = webhooks.idle();
});

/** Creates a subscription with one due event. */
async function subscriptionWithEvent(url: string): Promise<string> {
  const caller = newCaller();
  const { id } = await subscribe(inbox, caller, url);
  await acceptEvents(inbox, [eventFor(caller)]);
  return id;
}

const countOf = (subscriptionId: string, state: string) => countIn(inbox.db, "deliveries", { subscriptionId, state });

describe("a disabled subscription", () => {
  test("its pending deliveries are never claimed, and cancelled by the sweep", async () => {
    const receiver = await webhooks.receiver(withStatus(204));
    const caller = newCaller();
    const { id } = await subscribe(inbox, caller, receiver.url);
    await acceptEvents(inbox, [eventFor(caller), eventFor(caller)]);
    await disableSubscription(inbox, disableRequest(caller, id));
    const deps = webhooks.replica();
    expect(await dispatchOnce(deps)).toBe(0);
    expect(await sweepOnce(deps)).toEqual({ expired: 0, cancelled: 2 });
    expect(await sweepOnce(deps)).toEqual({ expired: 0, cancelled: 0 });
    await acceptEvents(deps, [eventFor(caller)]);
    expect(await countOf(id, "cancelled")).toBe(2);
    expect(receiver.received).toHaveLength(0);
  });
});

describe("a lease that ran out", () => {
  test("is a failed attempt that ended then, and its process can no longer complete it", async () => {
    const answers: (() => void)[] = [];
    const receiver = await webhooks.receiver((response) => answers.push(() => response.writeHead(204).end()));
    const id = await subscriptionWithEvent(receiver.url);
    const held = webhooks.replica();
    expect(await dispatchOnce(held)).toBe(1);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const claimed = await findDelivery(inbox.db, { subscriptionId: id });

    const early = webhooks.replica({ clockOffsetMs: 19_000 });
    expect(await sweepOnce(early)).toEqual({ expired: 0, cancelled: 0 });
    const lines: string[] = [];
    const log = createLog({ part: "webhooks", destination: { write: (line: string) => void lines.push(line) } });
    const other = webhooks.replica({ clockOffsetMs: 21_000, random: (bytes) => Buffer.alloc(bytes), log });
    const sweeps = await Promise.all([sweepOnce(other), sweepOnce(other)]);
    expect(sweeps.map(({ expired }) => expired).sort()).toEqual([0, 1]);

    const failed = await findDelivery(inbox.db, { subscriptionId: id });
    expect(failed).toMatchObject({ state: "pending", attempt: 1, lastError: "lease_expired" });
    expect(failed!.nextAt!.getTime() - claimed!.leaseUntil!.getTime()).toBe(MINUTE);
    const end = {
      attempt: 1,
      outcome: "failed",
      error: "lease_expired",
      ms: 20_000,
      next_at: failed!.nextAt!.toISOString(),
    };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: "warn", subscription: id, ...end }]);
    expect(await other.metrics.render()).toContain('outcome="lease_expired",part="webhooks"} 1');

    answers[0]!();
    await held.attempts.stop(5_000, () => {});
    expect(await findDelivery(inbox.db, { subscriptionId: id })).toEqual(failed);
  });

  test("eight leases that run out exhaust the delivery", async () => {
    const id = await subscriptionWithEvent("http://localhost:1/");
    const deps = webhooks.replica();
    for (let attempt = 1; attempt <= 8; attempt++) {
      await webhooks.db.run(sql`
        UPDATE deliveries SET state = 'in_flight', attempt = ${attempt}, next_at = NULL, lease_until = now() - interval '1 ms', claim_id = gen_random_uuid()
        WHERE subscription_id = ${id}`);
      expect((await sweepOnce(deps)).expired).toBe(1);
    }
    expect(await countOf(id, "exhausted")).toBe(1);
    expect(await findQueue(inbox.db, id)).toMatchObject({ failStreak: 8 });
  });
});
