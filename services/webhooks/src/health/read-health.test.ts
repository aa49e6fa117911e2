import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { eventually } from "@shipping/kit/testing/eventually";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import {
  GetSubscriptionHealthRequestSchema,
  ListSubscriptionHealthRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { acceptEvents } from "../dispatch/accept-event.js";
import type { DispatchDeps } from "../dispatch/deps.js";
import { dispatchOnce } from "../dispatch/dispatch-deliveries.js";
import { disableSubscription } from "../subscriptions/disable-subscription.js";
import type { Receiver } from "../testing/receiver.js";
import { storeHours } from "../testing/stored-health.js";
import { disableRequest, eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { getSubscriptionHealth, listSubscriptionHealth } from "./read-health.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: DispatchDeps;
let receiver: Receiver;
let status = 204;
beforeAll(async () => {
  deps = webhooks.replica();
  receiver = await webhooks.receiver((response) => response.writeHead(status).end());
});

const read = (caller: Caller, id: string, by = deps) =>
  getSubscriptionHealth(by, create(GetSubscriptionHealthRequestSchema, { caller, id }));
const list = async (caller: Caller, ids: string[] = []) =>
  (await listSubscriptionHealth(deps, create(ListSubscriptionHealthRequestSchema, { caller, ids }))).subscriptions;

/** Sends an event, and waits until the receiver's answer is recorded and written. */
async function attempt(caller: Caller): Promise<void> {
  const { id } = eventFor(caller);
  await acceptEvents(deps, [{ ...eventFor(caller), id }]);
  await eventually(async () => {
    expect(await deps.db.run(sql`SELECT FROM deliveries WHERE event_id = ${id} AND state <> 'in_flight'`)).toHaveLength(
      1,
    );
  });
  // The attempt is counted once the process knows that its end is recorded.
  await eventually(async () => expect(await deps.health.flushOnce()).toBe(1));
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);

test("a new subscription is active, with a day of empty hours", async () => {
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, receiver.url);
  const { health, hours, ...counts } = await read(caller, id);
  expect(health).toMatchObject({ subscriptionId: id, url: receiver.url, state: "active" });
  expect(health?.lastFailure ?? health?.lastSuccessAt ?? health?.failingSince).toBeUndefined();
  expect(counts).toMatchObject({ pending: 0, givenUp: 0 });
  expect(hours).toHaveLength(24);
  const begun = hours.map(({ hour }) => Date.parse(hour));
  expect(begun.every((hour, n) => hour % 3_600_000 === 0 && hour - begun[0]! === n * 3_600_000)).toBe(true);
  expect(Date.now() - begun.at(-1)!).toBeLessThan(3_600_000 + 1_000);
  expect(hours.every(({ delivered, failed }) => delivered === 0 && failed === 0)).toBe(true);
});

test("a subscription whose receiver answers 500 is failing, with the status, and active as soon as it has delivered", async () => {
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, receiver.url);
  status = 500;
  await attempt(caller);
  const failing = await read(caller, id);
  expect(failing.health).toMatchObject({
    state: "failing",
    failingSince: TIME,
    lastFailureAt: TIME,
    lastFailure: { reason: "status", status: 500 },
  });
  expect([failing.pending, failing.hours.at(-1)?.failed]).toEqual([1, 1]);
  status = 204;
  await attempt(caller);
  await eventually(async () => {
    await deps.health.flushOnce();
    const recovered = await read(caller, id);
    expect(recovered.health).toMatchObject({ state: "active", lastSuccessAt: TIME, lastFailureAt: TIME });
    expect(recovered.health?.failingSince).toBeUndefined();
    expect(recovered.hours.at(-1)).toMatchObject({ delivered: 1, failed: 1 });
  });
});

test("a success that a killed process has not written is still known", async () => {
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, receiver.url);
  status = 500;
  await attempt(caller);
  const doomed = webhooks.replica();
  status = 204;
  await acceptEvents(doomed, [eventFor(caller)]);
  await eventually(async () => expect((await read(caller, id)).health?.state).toBe("active"));
});

test("a delivery whose eighth attempt fails counts as exhausted, for 30 days", async () => {
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, receiver.url);
  status = 500;
  await attempt(caller);
  await deps.db.run(sql`UPDATE deliveries SET attempt = 7, next_at = clock_timestamp() WHERE subscription_id = ${id}`);
  await dispatchOnce(deps);
  await eventually(async () => {
    await deps.health.flushOnce();
    expect(await read(caller, id)).toMatchObject({ givenUp: 1, pending: 0 });
  });
  const later = webhooks.replica({ clockOffsetMs: 30.1 * 86_400_000 });
  expect(await read(caller, id, later)).toMatchObject({ givenUp: 0 });
  status = 204;
});

test("pending deliveries are counted up to 1,001, and no plan grows with the deliveries of others", async () => {
  const { db, statements } = watched(webhooks.db);
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, receiver.url);
  await db.run(sql`
    INSERT INTO deliveries (account_id, subscription_id, event_id, state, attempt, next_at)
    SELECT ${caller.accountId}, ${id}, 'evt_' || n, 'pending', 1, clock_timestamp() + interval '1 hour' FROM generate_series(1, 3000) AS n`);
  statements.length = 0;
  expect((await read(caller, id, webhooks.replica({ db }))).pending).toBe(1_001);
  const costly = await Promise.all(statements.map((statement) => costlyNodes(db, statement)));
  expect(costly.flat()).toEqual([]);
});

test("the list has the named subscriptions, or all active ones, and never another caller's", async () => {
  const [caller, other] = [newCaller(), newCaller()];
  const live = { ...caller, environment: "live" as const };
  const mine = await subscribe(deps, caller, receiver.url);
  const ended = await subscribe(deps, caller, receiver.url);
  const theirs = await subscribe(deps, other, receiver.url);
  await disableSubscription(deps, disableRequest(caller, ended.id));
  expect((await list(caller)).map(({ subscriptionId }) => subscriptionId)).toEqual([mine.id]);
  const named = await list(caller, [mine.id, ended.id, theirs.id, "whk_none"]);
  expect(Object.fromEntries(named.map(({ subscriptionId, state }) => [subscriptionId, state]))).toEqual({
    [mine.id]: "active",
    [ended.id]: "disabled",
  });
  expect(await list(live, [mine.id])).toEqual([]);
  for (const stranger of [other, live]) {
    await expect(read(stranger, mine.id)).rejects.toMatchObject({ code: "not_found" });
  }
});

test("the last 30 days are counted one by one, and what was given up for each subscription", async () => {
  const caller = newCaller();
  const [one, other] = [await subscribe(deps, caller, receiver.url), await subscribe(deps, caller, receiver.url)];
  const hours = Array.from({ length: 50 }, () => ({ delivered: 2, failed: 1, exhausted: 1 }));
  await storeHours(deps.db, one.id, hours);
  await storeHours(deps.db, other.id, [{ delivered: 9 }]);
  const { db, statements } = watched(deps.db);
  const { days, givenUp } = await read(caller, one.id, { ...deps, db });
  expect(days).toHaveLength(30);
  const begun = days.map(({ day }) => Date.parse(day));
  expect(begun.every((day, n) => day % 86_400_000 === 0 && day === begun[0]! + n * 86_400_000)).toBe(true);
  const sum = (kind: "delivered" | "failed" | "givenUp") => days.reduce((total, day) => total + day[kind], 0);
  expect([sum("delivered"), sum("failed"), sum("givenUp"), givenUp]).toEqual([100, 50, 50, 50]);
  expect(days.at(-2)!.delivered).toBe(48);
  const asked = create(ListSubscriptionHealthRequestSchema, { caller, countsGivenUp: true });
  const { subscriptions } = await listSubscriptionHealth({ ...deps, db }, asked);
  expect(subscriptions.map(({ subscriptionId, givenUp }) => [subscriptionId, givenUp])).toEqual(
    [
      [one.id, 50],
      [other.id, 0],
    ].sort(),
  );
  expect((await list(caller))[0]?.givenUp).toBeUndefined();
  for (const statement of statements) expect(await costlyNodes(deps.db, statement)).toEqual([]);
});

test("pending deliveries are grouped by the reason of their last failure", async () => {
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, receiver.url);
  expect((await read(caller, id)).waiting).toEqual([]);
  status = 503;
  await attempt(caller);
  await attempt(caller);
  status = 410;
  await attempt(caller);
  status = 204;
  const { waiting } = await read(caller, id);
  expect(waiting.map(({ failure, deliveries }) => [failure?.reason, failure?.status, deliveries])).toEqual([
    ["status", 503, 2],
    ["status", 410, 1],
  ]);
  for (const { lastAt, nextAt } of waiting) expect(Date.parse(nextAt)).toBeGreaterThan(Date.parse(lastAt));
});
