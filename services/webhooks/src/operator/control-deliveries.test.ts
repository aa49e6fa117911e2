import { create } from "@bufbuild/protobuf";
import { eraseBatch } from "@shipping/kit/service/account-data";
import { eventually } from "@shipping/kit/testing/eventually";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { HoldDeliveriesRequestSchema } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { acceptEvents } from "../dispatch/accept-event.js";
import { dispatchOnce } from "../dispatch/dispatch-deliveries.js";
import { readBacklog } from "../dispatch/ready-queue.js";
import type { Receiver } from "../testing/receiver.js";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { webhooksAccountData } from "./account-data.js";
import { holdDeliveries } from "./control-deliveries.js";

const webhooks = webhooksUnderTest(beforeEach, afterEach);
let receiver: Receiver;
beforeEach(async () => {
  receiver = await webhooks.receiver();
});

test("held deliveries are not attempted, neither on arrival nor when they are due; they wait, and continue at once when released", async () => {
  const deps = webhooks.replica();
  const [held, other] = [newCaller(), newCaller()];
  const { id } = await subscribe(deps, held, receiver.url);
  await subscribe(deps, other, receiver.url);
  const hold = (isHeld: boolean) =>
    holdDeliveries(deps, create(HoldDeliveriesRequestSchema, { accountId: held.accountId, held: isHeld }));
  await hold(true);
  await hold(true);
  await acceptEvents(deps, [eventFor(held), eventFor(other), eventFor(held)]);
  expect(await dispatchOnce(deps)).toBe(0);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  expect(await countIn(webhooks.db, "deliveries", { subscriptionId: id, state: "pending", attempt: 0 })).toBe(2);
  // Held deliveries do not count as due, so that they raise no alarm.
  expect(await readBacklog(webhooks.replica({ clockOffsetMs: 3_600_000 }))).toEqual({ due: 0, oldestSeconds: 0 });

  await hold(false);
  expect((await readBacklog(deps)).due).toBe(2);
  expect(await dispatchOnce(deps)).toBe(2);
  await eventually(() => expect(receiver.received).toHaveLength(3));
});

test("late events of an account that was erased are dropped: not stored, and not sent", async () => {
  const deps = webhooks.replica();
  const [erased, other] = [newCaller(), newCaller()];
  await subscribe(deps, other, receiver.url);
  // The account is marked with the first batch, before anything is deleted.
  await eraseBatch(webhooks.db, webhooksAccountData, { accountId: erased.accountId });
  const events = [eventFor(erased), eventFor(other)];
  await acceptEvents(deps, events);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  expect(await countIn(webhooks.db, "events", { id: events.map(({ id }) => id) })).toBe(1);
  expect(await countIn(webhooks.db, "events", { accountId: erased.accountId })).toBe(0);
});
