import type { Caller } from "@shipping/kit/caller";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import type { Receiver } from "../testing/receiver.js";
import { findDelivery } from "../testing/stored-deliveries.js";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
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
async function send(aheadMs: number, answer: number, of?: { id: string; secret: string; caller: Caller }) {
  status = answer;
  const deps = webhooks.replica({ now: clockAt(aheadMs) });
  const caller = of?.caller ?? newCaller();
  const { id, secret } = of ?? (await subscribe(deps, caller, receiver.url));
  const event = eventFor(caller);
  await acceptEvents(deps, [event]);
  const stored = () => findDelivery(deps.db, { subscriptionId: id, eventId: event.id });
  await eventually(async () => expect(await stored()).not.toMatchObject({ state: "in_flight" }));
  // The attempt is counted once the process knows that its end is recorded.
  await eventually(async () => expect(await deps.health.flushOnce()).toBe(1));
  const [health] = await deps.db.run<{ failing_since: Date | null }>(sql`
    SELECT failing_since FROM subscription_health WHERE subscription_id = ${id}`);
  const request = receiver.received.find(({ headers }) => headers["service-event-id"] === event.id)!;
  return { id, caller, secret, request, nextAt: (await stored())!.nextAt, failingSince: health!.failing_since };
}

test.each([
  ["behind", -SKEW_MS],
  ["ahead", SKEW_MS],
])(
  "a replica whose clock is five minutes %s signs by its own clock, and times retries and health by the database's",
  async (_, aheadMs) => {
    const { secret, request, nextAt, failingSince } = await send(aheadMs, 500);
    const signature = String(request.headers["service-signature"]);
    const time = Number(/t=(\d+)/.exec(signature)?.[1]);
    expect(Math.abs(secondsFromNow(new Date(time * 1000)) - aheadMs / 1000)).toBeLessThan(60);
    expect(verifySignature(secret, signature, request.body, time)).toBe(true);
    expect(secondsFromNow(nextAt)).toBeGreaterThan(0);
    expect(secondsFromNow(nextAt)).toBeLessThan(70);
    expect(Math.abs(secondsFromNow(failingSince))).toBeLessThan(60);
  },
);

test("a success after a failure ends the failing, although the replica that had it is minutes behind", async () => {
  const failed = await send(SKEW_MS, 500);
  expect((await send(-SKEW_MS, 200, failed)).failingSince).toBeNull();
});
