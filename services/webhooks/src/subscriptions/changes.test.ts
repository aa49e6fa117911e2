import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { createMetrics } from "@shipping/kit/process/metrics";
import { newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import {
  AcknowledgeChangesRequestSchema,
  ListChangesRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { createRequest, disableRequest, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acknowledgeChanges, expireChangesOnce, listChanges, measureChanges } from "./changes.js";
import { createSubscription } from "./create-subscription.js";
import { disableSubscription } from "./disable-subscription.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: ReturnType<typeof webhooks.replica>;
beforeAll(() => {
  deps = webhooks.replica();
});
beforeEach(() => deps.db.pool.query("DELETE FROM subscription_changes"));

const actor = { name: "ada@example.com", source: "192.0.2.1" };
const url = "https://example.com/hook";
const createAs = (caller: Caller, claim = newClaim()) =>
  createSubscription(deps, createRequest(caller, { claim, actor }));
const disableAs = (caller: Caller, id: string) =>
  disableSubscription(deps, disableRequest(caller, id, newClaim(), actor));
const list = (asked: { since?: string; after?: string } = {}) =>
  listChanges(deps, create(ListChangesRequestSchema, asked));
const actions = async (asked?: { since?: string }) => (await list(asked)).changes.map(({ action }) => action).sort();
const at = (clockOffsetMs: number) => ({ ...deps, clockOffsetMs });
const acknowledge = (ids: string[], offsetMs = 0) =>
  acknowledgeChanges(at(offsetMs), create(AcknowledgeChangesRequestSchema, { ids }));
const DAY = 86_400_000;

test("creating and disabling are stored with author, time and account, without the secret", async () => {
  const caller = newCaller("live");
  const { json: created } = toSnapshot(await createAs(caller));
  expect((await list()).changes).toMatchObject([
    {
      id: expect.stringMatching(/^aud_[a-z2-7]{26}$/),
      owner: caller,
      actor,
      action: "created",
      subscriptionId: created.id,
      url,
      events: ["shipment.created"],
      at: created.created_at,
    },
  ]);
  const { json: disabled } = toSnapshot(await disableAs(caller, created.id));
  const { changes } = await list();
  expect(changes.find(({ action }) => action === "disabled")).toMatchObject({ actor, at: disabled.disabled_at });
});

test("requests without effect are not stored: a replay, a conflict, the eleventh creation, disabling again", async () => {
  const caller = newCaller();
  const claim = newClaim();
  const { json } = toSnapshot(await createAs(caller, claim));
  await createAs(caller, claim);
  expect((await createAs(caller, newClaim(claim.idempotencyKey, "another"))).outcome.case).toBe("conflict");
  await Promise.all(Array.from({ length: 5 }, () => disableAs(caller, json.id)));
  await disableAs(caller, json.id);
  expect(await actions()).toEqual(["created", "disabled"]);
  for (let n = 0; n < 10; n++) await createAs(caller);
  await expect(createAs(caller)).rejects.toThrow("10 active");
  expect(await actions()).toHaveLength(12);
});

test("a request without an actor is refused", async () => {
  const caller = newCaller();
  const { json } = toSnapshot(await createAs(caller));
  for (const refused of [
    createSubscription(deps, { ...createRequest(caller), actor: undefined } as never),
    disableSubscription(deps, { ...disableRequest(caller, json.id), actor: undefined } as never),
  ])
    await expect(refused).rejects.toMatchObject({ code: "internal_error" });
  expect(await actions()).toEqual(["created"]);
});

test("they are listed a hundred at a time, repeatedly until they are acknowledged, by several clients at once", async () => {
  for (let n = 0; n < 24; n++) {
    const caller = newCaller();
    for (let each = 0; each < 5; each++) await createAs(caller);
  }
  const first = (await list()).changes.map(({ id }) => id);
  expect(first).toHaveLength(100);
  expect((await list()).changes.map(({ id }) => id)).toEqual(first);
  expect((await list({ after: first.at(-1)! })).changes).toHaveLength(20);
  await Promise.all([acknowledge(first), acknowledge([...first].reverse()), acknowledge(["aud_none"])]);
  const rest = (await list()).changes.map(({ id }) => id);
  expect(rest).toHaveLength(20);
  expect(rest.filter((id) => first.includes(id))).toEqual([]);
});

test("with since, those acknowledged from then on are listed again", async () => {
  await createAs(newCaller());
  const { changes, readAt } = await list();
  await acknowledge(changes.map(({ id }) => id));
  expect(await actions()).toEqual([]);
  expect(await actions({ since: readAt })).toEqual(["created"]);
  expect(await actions({ since: (await list()).readAt })).toEqual([]);
});

test("no call removes a change before it is seven days old: acknowledging it again or later moves nothing", async () => {
  await createAs(newCaller());
  const ids = (await list()).changes.map(({ id }) => id);
  await acknowledge(ids);
  await acknowledge(ids, -30 * DAY);
  expect(await expireChangesOnce(at(7 * DAY - 60_000), 400)).toBe(0);
  await acknowledge(ids, 6 * DAY);
  expect(await expireChangesOnce(at(7 * DAY + 60_000), 400)).toBe(1);
});

test.each([
  ["since", () => list({ since: "yesterday" }), "since is not a time."],
  ["ids", () => acknowledge(Array(101).fill("aud_1")), "At most 100 changes can be acknowledged at once."],
])("a wrong value of %s is refused", async (_, call, message) => {
  await expect(call()).rejects.toMatchObject({ code: "invalid_request", message });
});

test("those that no portal reads are counted, and dropped after the retention of the audit log", async () => {
  const { json } = toSnapshot(await createAs(newCaller()));
  await createAs(newCaller());
  const measured = async (name: string) => {
    const metrics = createMetrics({ part: "webhooks", log: deps.log });
    measureChanges({ ...at(60_000), metrics });
    return new RegExp(`^${name}.* (\\d+)`, "m").exec(await metrics.render())?.[1];
  };
  const waiting = () => measured("changes_waiting");
  expect(await waiting()).toBe("2");
  expect(Number(await measured("changes_oldest_waiting_seconds"))).toBeGreaterThanOrEqual(60);
  await deps.db.pool.query("UPDATE subscription_changes SET at = at - interval '10 days' WHERE subscription_id = $1", [
    json.id,
  ]);
  expect(await expireChangesOnce(at(389 * DAY), 400)).toBe(0);
  expect(await expireChangesOnce(at(391 * DAY), 400)).toBe(1);
  expect((await list()).changes.map(({ subscriptionId }) => subscriptionId)).not.toContain(json.id);
  expect(await waiting()).toBe("1");
  await acknowledge((await list()).changes.map(({ id }) => id));
  expect([await waiting(), await measured("changes_oldest_waiting_seconds")]).toEqual(["0", "0"]);
});
