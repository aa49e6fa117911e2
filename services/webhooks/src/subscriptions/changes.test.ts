import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { createMetrics } from "@shipping/kit/process/metrics";
import { newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { AcknowledgeChangesRequestSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
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
const actions = async () => (await listChanges(deps)).changes.map(({ action }) => action).sort();
const acknowledge = (ids: string[]) => acknowledgeChanges(deps, create(AcknowledgeChangesRequestSchema, { ids }));

test("creating and disabling are stored with author, time and account, without the secret", async () => {
  const caller = newCaller("live");
  const { json: created } = toSnapshot(await createAs(caller));
  expect((await listChanges(deps)).changes).toMatchObject([
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
  const { changes } = await listChanges(deps);
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
  const first = (await listChanges(deps)).changes.map(({ id }) => id);
  expect(first).toHaveLength(100);
  expect((await listChanges(deps)).changes.map(({ id }) => id)).toEqual(first);
  await Promise.all([acknowledge(first), acknowledge([...first].reverse()), acknowledge(["aud_none"])]);
  const rest = (await listChanges(deps)).changes.map(({ id }) => id);
  expect(rest).toHaveLength(20);
  expect(rest.filter((id) => first.includes(id))).toEqual([]);
});

test("those that no portal reads are counted, and dropped after the retention of the audit log", async () => {
  const { json } = toSnapshot(await createAs(newCaller()));
  await createAs(newCaller());
  const waiting = async () => {
    const metrics = createMetrics({ part: "webhooks", log: deps.log });
    measureChanges({ db: deps.db, metrics });
    return /^changes_waiting.* (\d+)$/m.exec(await metrics.render())?.[1];
  };
  expect(await waiting()).toBe("2");
  const day = 86_400_000;
  await deps.db.pool.query("UPDATE subscription_changes SET at = at - interval '10 days' WHERE subscription_id = $1", [
    json.id,
  ]);
  expect(await expireChangesOnce({ ...deps, clockOffsetMs: 389 * day }, 400)).toBe(0);
  expect(await expireChangesOnce({ ...deps, clockOffsetMs: 391 * day }, 400)).toBe(1);
  expect((await listChanges(deps)).changes.map(({ subscriptionId }) => subscriptionId)).not.toContain(json.id);
  expect(await waiting()).toBe("1");
});
