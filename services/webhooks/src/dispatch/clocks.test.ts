import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import type { Receiver } from "../testing/receiver.js";
import { findDelivery } from "../testing/stored-deliveries.js";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import { verifySignature } from "./signature.js";

const SKEW_MS = 300_000;
const clockAt = (aheadMs: number) => () => new Date(Date.now() + aheadMs);
const secondsFromNow = (at: Date | null) => Math.round(((at?.getTime() ?? 0) - Date.now()) / 1000);

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let receiver: Receiver;
let status = 200;
beforeAll(async () => {
  receiver = await webhooks.receiver((response) => response.writeHead(status).end());
});

/** Sends an event from a replica whose clock is this far ahead of the database's; the receiver answers with `answer`. */
async function send(
  aheadMs: number,
  answer: number,
  subscription?: { id: string; caller: ReturnType<typeof newCaller> },
) {
  status = answer;
  const deps = webhooks.replica({ now: clockAt(aheadMs) });
  const caller = subscription?.caller ?? newCaller();
  const { id, secret } = subscription ? { ...subscription, secret: "" } : await subscribe(deps, caller, receiver.url);
  const event = eventFor(caller);
  const before = receiver.received.length;
  await acceptEvents(deps, [event]);
  await dispatchOnce(deps);
  await eventually(() => expect(receiver.received).toHaveLength(before + 1));
  await eventually(async () =>
    expect(await findDelivery(deps.db, { subscriptionId: id, eventId: event.id })).not.toMatchObject({
      state: "in_flight",
    }),
  );
  // The attempt is counted once the process knows that its end is recorded.
  await eventually(async () => expect(await deps.health.flushOnce()).toBe(1));
  return { id, caller, secret, event, deps, request: receiver.received[before]! };
}

describe.each([
  ["behind", -SKEW_MS],
  ["ahead", SKEW_MS],
])("a replica whose clock is five minutes %s of the database's", (_, aheadMs) => {
  test("signs with the time of its own clock: a receiver whose clock is the same accepts it", async () => {
    const { secret, request } = await send(aheadMs, 200);
    const signature = String(request.headers["service-signature"]);
    const time = Number(/t=(\d+)/.exec(signature)?.[1]);
    expect(Math.abs(secondsFromNow(new Date(time * 1000)) - aheadMs / 1000)).toBeLessThan(60);
    expect(verifySignature(secret, signature, request.body, time)).toBe(true);
  });

  test("repeats a failed attempt a minute later, and counts it in this hour, by the database's clock", async () => {
    const { id, deps } = await send(aheadMs, 500);
    const delivery = await findDelivery(deps.db, { subscriptionId: id });
    expect(secondsFromNow(delivery?.nextAt ?? null)).toBeGreaterThan(0);
    expect(secondsFromNow(delivery?.nextAt ?? null)).toBeLessThan(70);
    const [health] = await deps.db.run<{ failing_since: Date }>(sql`
      SELECT failing_since FROM subscription_health WHERE subscription_id = ${id}`);
    expect(Math.abs(secondsFromNow(health!.failing_since))).toBeLessThan(60);
  });
});

test("a success after a failure ends the failing, although the replica that had it is minutes behind", async () => {
  const failed = await send(SKEW_MS, 500);
  const { id, caller, deps } = failed;
  await send(-SKEW_MS, 200, { id, caller });
  const [health] = await deps.db.run<{ failing_since: Date | null }>(sql`
    SELECT failing_since FROM subscription_health WHERE subscription_id = ${id}`);
  expect(health?.failing_since).toBeNull();
});
