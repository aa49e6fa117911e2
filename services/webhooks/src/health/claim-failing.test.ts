import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { newCaller } from "@shipping/kit/testing/writes";
import { AcknowledgeFailingRequestSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { DispatchDeps } from "../dispatch/deps.js";
import { disableSubscription } from "../subscriptions/disable-subscription.js";
import { awaitsAlert, failedFor } from "../testing/stored-health.js";
import { disableRequest, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acknowledgeFailing, claimFailing, FAILED_FOR_HOURS } from "./claim-failing.js";

const HOUR_MS = 3_600_000;
const URL = "https://shop.example.com/hooks";

const webhooks = webhooksUnderTest(beforeEach, afterEach);
let deps: DispatchDeps;
beforeEach(() => {
  deps = webhooks.replica();
});

/** Creates a subscription whose first attempt failed that many hours ago, with two more after it. */
async function failingFor(hours: number, caller: Caller = newCaller()): Promise<string> {
  const { id } = await subscribe(deps, caller, URL);
  await ended(id, 0, false);
  await failedFor(deps.db, id, hours);
  return id;
}

async function ended(subscriptionId: string, hoursAgo: number, delivered: boolean): Promise<void> {
  const at = new Date(Date.now() - hoursAgo * HOUR_MS);
  deps.health.count({ subscriptionId, at, delivered, exhausted: false, ...(!delivered && { status: 500 }) });
  await deps.health.flushOnce();
  if (delivered)
    await deps.db.run(sql`UPDATE ready_queue SET fail_streak = 0 WHERE subscription_id = ${subscriptionId}`);
}

const claimed = async (by = deps) => (await claimFailing(by)).subscriptions.map(({ subscriptionId }) => subscriptionId);
const acknowledged = (...subscriptionIds: string[]) =>
  acknowledgeFailing(deps, create(AcknowledgeFailingRequestSchema, { subscriptionIds }));
const later = (hours: number) => webhooks.replica({ clockOffsetMs: hours * HOUR_MS });

test("a subscription that has failed for a day is handed out, with its owner, start and reason; one that has failed for 23 hours is not", async () => {
  const caller = newCaller();
  const id = await failingFor(FAILED_FOR_HOURS + 0.1, caller);
  await failingFor(FAILED_FOR_HOURS - 0.1);
  expect((await claimFailing(deps)).subscriptions).toMatchObject([
    {
      owner: caller,
      subscriptionId: id,
      url: URL,
      failingSince: expect.stringMatching(/Z$/),
      lastFailure: { reason: "status", status: 500 },
    },
  ]);
});

test("the statement of the guide for operators lists those that wait for an email: the ones that are handed out", async () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../../docs/operations/monitoring.md"), "utf8");
  const [, statement = ""] = /^```sql shown\n(SELECT subscription_id,[^`]*)```/m.exec(guide) ?? [];
  const caller = newCaller();
  const [, alerted, delivering, disabled, waiting] = [
    await failingFor(FAILED_FOR_HOURS - 0.1),
    await failingFor(FAILED_FOR_HOURS + 2),
    await failingFor(FAILED_FOR_HOURS + 2),
    await failingFor(FAILED_FOR_HOURS + 2, caller),
    await failingFor(FAILED_FOR_HOURS + 0.1),
  ];
  await deps.db.run(sql`UPDATE subscription_health SET alerted_at = now() WHERE subscription_id = ${alerted}`);
  // The process was killed before it could write the success.
  await deps.db.run(sql`UPDATE ready_queue SET fail_streak = 0 WHERE subscription_id = ${delivering}`);
  await disableSubscription(deps, disableRequest(caller, disabled));
  const { rows } = await deps.db.pool.query<{ subscription_id: string }>(statement);
  expect(rows.map(({ subscription_id }) => subscription_id)).toEqual([waiting]);
  expect(await claimed()).toEqual([waiting]);
});

test("each goes to one of several concurrent clients; all are handed out, a hundred at a time", async () => {
  const ids = await Promise.all(Array.from({ length: 120 }, () => failingFor(25)));
  const shares = await Promise.all(Array.from({ length: 8 }, () => claimed()));
  shares.push(await claimed());
  expect(shares.flat().sort()).toEqual(ids.sort());
  expect(await claimed()).toEqual([]);
});

test("if the client that took one is killed, another gets it; once the alert was sent, it is not handed out", async () => {
  const id = await failingFor(24.1);
  expect(await awaitsAlert(deps.db, id)).toBe(true);
  expect(await claimed()).toEqual([id]);
  expect(await claimed(later(0.2))).toEqual([]);
  expect(await claimed(later(0.3))).toEqual([id]);
  await acknowledged(id);
  expect(await claimed(later(1_000))).toEqual([]);
});

test("one whose alert cannot be sent is handed out less and less often, in the end once a day", async () => {
  // The failure is a little more than a day old, so that steps never fall on the moment at which an alert is due.
  await failingFor(24.01);
  const hours: number[] = [];
  for (let hour = 0; hour < 96; hour += 0.25) if ((await claimed(later(hour))).length > 0) hours.push(hour);
  expect(hours.length).toBeLessThan(12);
  expect(hours.slice(0, 3)).toEqual([0, 0.25, 0.75]);
  expect(hours.at(-1)! - hours.at(-2)!).toBeGreaterThanOrEqual(24);
});

test("after the alert, a failure has no effect; after a success, another day of failures is alerted again", async () => {
  const id = await failingFor(25);
  await claimed();
  await acknowledged(id);
  await ended(id, 1, false);
  expect(await claimed(later(30))).toEqual([]);
  await ended(id, 0.9, true);
  await ended(id, 0.8, false);
  await deps.db.run(sql`UPDATE ready_queue SET fail_streak = 1 WHERE subscription_id = ${id}`);
  expect(await claimed(later(23))).toEqual([]);
  expect(await claimed(later(23.5))).toEqual([id]);
});

test("disabled ones are not handed out, nor is one that has delivered although a killed process did not record it", async () => {
  const caller = newCaller();
  const disabled = await failingFor(25, caller);
  await disableSubscription(deps, disableRequest(caller, disabled));
  const recovered = await failingFor(25);
  await deps.db.run(sql`UPDATE ready_queue SET fail_streak = 0 WHERE subscription_id = ${recovered}`);
  expect(await claimed()).toEqual([]);
  for (const id of [disabled, recovered]) expect(await awaitsAlert(deps.db, id)).toBe(false);
});

test("an acknowledgement that arrives after the subscription has recovered is ignored", async () => {
  const id = await failingFor(25);
  await claimed();
  await ended(id, 0.1, true);
  await acknowledged(id);
  await ended(id, 0.05, false);
  await deps.db.run(sql`UPDATE ready_queue SET fail_streak = 1 WHERE subscription_id = ${id}`);
  expect(await claimed(later(24.1))).toEqual([id]);
});
