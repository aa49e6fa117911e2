import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { newId } from "@shipping/kit/ids";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import {
  ListDeadEventsRequestSchema,
  ShowEventRequestSchema,
  ShowSubscriptionRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import {
  AcknowledgeChangesRequestSchema,
  GetSubscriptionHealthRequestSchema,
  ListChangesRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { acceptEvents } from "../dispatch/accept-event.js";
import type { DispatchDeps } from "../dispatch/deps.js";
import { createOwnerRecord } from "../events/stream-owner.js";
import { claimFailing, FAILED_FOR_HOURS } from "../health/claim-failing.js";
import { getSubscriptionHealth } from "../health/read-health.js";
import { listDeadEvents } from "../operator/dead-events.js";
import { showEvent } from "../operator/read-deliveries.js";
import { showSubscription } from "../operator/show-subscription.js";
import { acknowledgeChanges, listChanges } from "../subscriptions/changes.js";
import { countDeliveries, eventsUnderWay, expectExactRows, putOffDeliveries } from "./stored-deliveries.js";
import { backdateEvents, deliveredEvents, forgetStreamTokens, storeDeadEvent, storedEvents } from "./stored-events.js";
import { failedFor, storeHours, storeLastAttempts } from "./stored-health.js";
import {
  countUnreadChanges,
  manyDeliveries,
  markDisabled,
  storedChanges,
  storedSubscriptions,
  subscribeTo,
} from "./stored-subscriptions.js";
import { eventFor, subscribe, webhooksUnderTest } from "./webhooks-under-test.js";

// Tests of the whole platform write and read these tables through the functions below, so this file fails if a change of webhooks makes one of
// them wrong.

const webhooks = webhooksUnderTest(beforeEach, afterEach, expectExactRows);
const URL = "https://shop.example.com/hooks";

const show = (deps: DispatchDeps, id: string) => showSubscription(deps, create(ShowSubscriptionRequestSchema, { id }));

async function subscription(caller = newCaller()) {
  const deps = webhooks.replica();
  const { id } = await subscribe(deps, caller, URL);
  const read = () => getSubscriptionHealth(deps, create(GetSubscriptionHealthRequestSchema, { caller, id }));
  return { deps, caller, id, read };
}

test("hours and last attempts are those that its page shows", async () => {
  const { deps, id, read } = await subscription();
  await storeHours(deps.db, id, [{ delivered: 3 }, { failed: 2.4, exhausted: 1 }]);
  await storeLastAttempts(deps.db, id, { successHoursAgo: 6, reason: "tls_expired", isFailing: true });
  const { health, hours, givenUp } = await read();
  expect(hours.slice(-2)).toMatchObject([
    { delivered: 0, failed: 2 },
    { delivered: 3, failed: 0 },
  ]);
  expect(givenUp).toBe(1);
  expect(health).toMatchObject({ state: "failing", lastFailure: { reason: "tls_expired" } });
  expect(health?.failingSince).toBe(health?.lastSuccessAt);
});

test("a subscription that delivers is not failing, and cannot have failed for a day", async () => {
  const { deps, id, read } = await subscription();
  await storeLastAttempts(deps.db, id, { successHoursAgo: 6, reason: "timeout", isFailing: false });
  expect((await read()).health).toMatchObject({ state: "active" });
  await expect(failedFor(deps.db, id, 25)).rejects.toThrow(`The subscription ${id} is not failing.`);
});

test("a subscription that has failed for a day is due an alert, whatever else one needs", async () => {
  const { deps, id } = await subscription();
  deps.health.count({ subscriptionId: id, at: new Date(), delivered: false, exhausted: false, status: 500 });
  await deps.health.flushOnce();
  await failedFor(deps.db, id, FAILED_FOR_HOURS + 1);
  expect((await claimFailing(deps)).subscriptions).toMatchObject([{ subscriptionId: id }]);
});

test("events are found by their account, and among them those that were delivered", async () => {
  const receiver = await webhooks.receiver();
  const deps = webhooks.replica();
  const [caller, other] = [newCaller(), newCaller()];
  await subscribe(deps, caller, receiver.url);
  const events = [eventFor(caller), eventFor(caller, "order.created")] as const;
  await acceptEvents(deps, [...events, eventFor(other)]);
  const stored = await storedEvents(deps.db, caller);
  expect(stored.map(({ id }) => id).sort()).toEqual(events.map(({ id }) => id).sort());
  const type = [events[1].type];
  expect(await storedEvents(deps.db, { accountId: [caller.accountId], type })).toMatchObject([{ id: events[1].id }]);
  expect(await storedEvents(deps.db)).toHaveLength(3);
  await eventually(async () => expect(await deliveredEvents(deps.db, caller.accountId)).toEqual([events[0].id]));

  const receivedAt = async (id: string) => (await showEvent(deps, create(ShowEventRequestSchema, { id }))).receivedAt;
  const [before, later] = [await receivedAt(events[0].id), await receivedAt(events[1].id)];
  await backdateEvents(deps.db, { accountId: caller.accountId, type: events[0].type }, 1);
  expect(Date.parse(before) - Date.parse(await receivedAt(events[0].id))).toBe(60_000);
  expect(await receivedAt(events[1].id)).toBe(later);
});

test("a dead event is listed under its number", async () => {
  const deps = webhooks.replica();
  const id = await storeDeadEvent(deps.db, { message: Buffer.from([0xff]), reason: "its type is unknown" });
  const { events } = await listDeadEvents(deps, create(ListDeadEventsRequestSchema, { limit: 2 }));
  expect(events).toMatchObject([{ id: BigInt(id), kind: "unreadable", reason: "its type is unknown", size: 1 }]);
});

test("subscriptions are found by their accounts, and take types that the platform does not have", async () => {
  const { deps, id, caller } = await subscription();
  await subscription();
  expect(await storedSubscriptions(deps.db, [caller.accountId])).toEqual([id]);
  await subscribeTo(deps.db, id, ["order.created", "order.lost"]);
  expect(await show(deps, id)).toMatchObject({ events: ["order.created", "order.lost"] });
});

test("deliveries are counted, put off, and under way while their receiver has not answered", async () => {
  const receiver = await webhooks.receiver(() => {});
  const [sending, idle] = [webhooks.replica(), webhooks.idle()];
  const caller = newCaller();
  const { id } = await subscribe(sending, caller, receiver.url);
  const [held, waiting] = [eventFor(caller), eventFor(caller)];
  await acceptEvents(sending, [held]);
  await acceptEvents(idle, [waiting]);
  expect(await countDeliveries(sending.db, [id])).toBe(2);
  expect(await eventsUnderWay(sending.db)).toEqual([held.id]);
  expect(await eventsUnderWay(sending.db, ["whk_other"])).toEqual([]);
  await putOffDeliveries(sending.db, [id], 3_600);
  const { nextDue = "" } = await show(sending, id);
  expect(Math.round((Date.parse(nextDue) - Date.now()) / 60_000)).toBe(60);
});

test("a subscription that is marked as disabled keeps its deliveries", async () => {
  const { deps, id, caller } = await subscription();
  await acceptEvents(webhooks.idle(), [eventFor(caller)]);
  await markDisabled(deps.db, id);
  expect(await show(deps, id)).toMatchObject({ status: "disabled", pending: 1 });
});

test("a change is unread until the portal acknowledges it, and stays stored", async () => {
  const { deps, caller } = await subscription();
  const [change] = (await listChanges(deps, create(ListChangesRequestSchema))).changes;
  expect(await countUnreadChanges(deps.db, caller.accountId)).toBe(1);
  await acknowledgeChanges(deps, create(AcknowledgeChangesRequestSchema, { ids: [change!.id] }));
  expect(await countUnreadChanges(deps.db, caller.accountId)).toBe(0);
  expect(await storedChanges(deps.db)).toEqual([change!.id]);
});

test("many deliveries wait for a day", async () => {
  const deps = webhooks.replica();
  const id = newId("whk", randomBytes);
  await deps.db.run(manyDeliveries(newCaller(), id, 30));
  const { pending, nextDue = "" } = await show(deps, id);
  expect(pending).toBe(30);
  expect(Math.round((Date.parse(nextDue) - Date.now()) / 3_600_000)).toBe(24);
});

test("the tokens of an older backup are not those that the database had", async () => {
  const { db } = webhooks.replica();
  expect(await forgetStreamTokens(db)).toBe(false);
  const record = createOwnerRecord({ db, clockOffsetMs: 0, now: () => new Date(), random: randomBytes });
  const { id, tokens } = await record.read();
  expect(await forgetStreamTokens(db)).toBe(true);
  expect(await record.read()).toMatchObject({ id, tokens: expect.not.arrayContaining([...tokens]) });
});
