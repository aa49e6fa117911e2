import { eventually } from "@shipping/kit/testing/eventually";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { disableSubscription } from "../subscriptions/disable-subscription.js";
import { startReceiver, withStatus } from "../testing/receiver.js";
import { findDelivery, findQueue, inexactRows } from "../testing/stored-deliveries.js";
import { disableRequest, eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import type { DispatchDeps } from "./deps.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import { sweepOnce } from "./sweep-deliveries.js";

const MINUTE = 60_000;
let webhooks: Awaited<ReturnType<typeof webhooksUnderTest>>;
let inbox: DispatchDeps;
beforeEach(async () => {
  webhooks = await webhooksUnderTest();
  // This replica accepts and never sends, because its slots are closed.
  inbox = webhooks.replica();
  await inbox.attempts.stop(0, () => {});
});
afterEach(async () => {
  expect(await inexactRows(webhooks.db)).toEqual([]);
  await webhooks.end();
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
    const receiver = await startReceiver(withStatus(204));
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
    await receiver.close();
  });
});

describe("a lease that ran out", () => {
  test("is a failed attempt that ended then, and its process can no longer complete it", async () => {
    const answers: (() => void)[] = [];
    const receiver = await startReceiver((response) => answers.push(() => response.writeHead(204).end()));
    const id = await subscriptionWithEvent(receiver.url);
    const held = webhooks.replica();
    expect(await dispatchOnce(held)).toBe(1);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const claimed = await findDelivery(inbox.db, { subscriptionId: id });

    const early = webhooks.replica({ clockOffsetMs: 19_000 });
    expect(await sweepOnce(early)).toEqual({ expired: 0, cancelled: 0 });
    const other = webhooks.replica({ clockOffsetMs: 21_000, random: (bytes) => Buffer.alloc(bytes) });
    const sweeps = await Promise.all([sweepOnce(other), sweepOnce(other)]);
    expect(sweeps.map(({ expired }) => expired).sort()).toEqual([0, 1]);

    const failed = await findDelivery(inbox.db, { subscriptionId: id });
    expect(failed).toMatchObject({ state: "pending", attempt: 1, lastError: "lease_expired" });
    expect(failed!.nextAt!.getTime() - claimed!.leaseUntil!.getTime()).toBe(MINUTE);

    answers[0]!();
    await held.attempts.stop(5_000, () => {});
    expect(await findDelivery(inbox.db, { subscriptionId: id })).toEqual(failed);
    await receiver.close();
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
