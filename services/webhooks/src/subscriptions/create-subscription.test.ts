import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import sql from "sql-template-tag";
import { createRequest, disableRequest, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { createSubscription } from "./create-subscription.js";
import { disableSubscription } from "./disable-subscription.js";
import { secretIdentity } from "./subscription.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: ReturnType<typeof webhooks.replica>;
beforeAll(() => {
  deps = webhooks.replica({ config: { WEBHOOK_ALLOW_PRIVATE_TARGETS: false } });
});

async function activeOf(accountId: string): Promise<{ counted: number; rows: number }> {
  const [counter] = await rowsIn<{ active: number }>(deps.db, "active_subscriptions", { accountId });
  return {
    counted: counter?.active ?? 0,
    rows: await countIn(deps.db, "subscriptions", { accountId, status: "active" }),
  };
}

describe("createSubscription", () => {
  test("answers 201 with the subscription and its secret", async () => {
    const caller = newCaller();
    const events = [...EVENT_TYPES];
    const { status, replayed, json } = toSnapshot(await createSubscription(deps, createRequest(caller, { events })));
    expect({ status, replayed }).toEqual({ status: 201, replayed: false });
    expect(json).toEqual({
      id: expect.stringMatching(/^whk_[a-z2-7]{26}$/),
      object: "webhook",
      url: "https://example.com/hook",
      events,
      status: "active",
      livemode: false,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await activeOf(caller.accountId)).toEqual({ counted: 1, rows: 1 });
  });

  test("another event type needs no migration: the table takes any number of them, but not none", async () => {
    const { json } = toSnapshot(await createSubscription(deps, createRequest(newCaller())));
    const store = (events: string[]) =>
      deps.db.run(sql`UPDATE subscriptions SET events = ${events} WHERE id = ${json.id}`);
    await store([...EVENT_TYPES, "shipment.voided"]);
    await expect(store([])).rejects.toThrow("subscriptions_events_check");
  });

  test("stores the secret sealed to its row, and never in plain text", async () => {
    const caller = newCaller();
    const { json } = toSnapshot(await createSubscription(deps, createRequest(caller)));
    const [row] = await rowsIn<{ secret: Buffer }>(deps.db, "subscriptions", { id: json.id });
    const [ledger] = await rowsIn<{ body: Buffer }>(deps.db, "ledger", { accountId: caller.accountId });
    expect(row!.secret.includes("whsec_")).toBe(false);
    expect(ledger!.body.includes("whsec_")).toBe(false);
    expect(Buffer.from(deps.keyRing.open(row!.secret, secretIdentity(json.id))).toString()).toBe(json.secret);
    expect(() => deps.keyRing.open(row!.secret, secretIdentity("whk_other"))).toThrow("unable to authenticate data");
  });

  test("a replay answers the same bytes with the secret and does not count, even after the deletion", async () => {
    const caller = newCaller();
    const request = createRequest(caller);
    const first = toSnapshot(await createSubscription(deps, request));
    await disableSubscription(deps, disableRequest(caller, first.json.id));
    const second = toSnapshot(await createSubscription(deps, request));
    expect(second).toEqual({ ...first, replayed: true });
    expect(await activeOf(caller.accountId)).toEqual({ counted: 0, rows: 0 });
  });

  test("409 webhook_limit_reached for two of twelve at once, whose keys stay free", async () => {
    const caller = newCaller();
    const requests = Array.from({ length: 12 }, () => createRequest(caller));
    const ends = await Promise.allSettled(requests.map((request) => createSubscription(deps, request)));
    const refused = ends.flatMap((end, at) => (end.status === "rejected" ? [{ at, reason: end.reason }] : []));
    expect(refused.map(({ reason }) => reason.code)).toEqual(["webhook_limit_reached", "webhook_limit_reached"]);
    expect(await activeOf(caller.accountId)).toEqual({ counted: 10, rows: 10 });

    const [some] = await rowsIn<{ id: string }>(deps.db, "subscriptions", { accountId: caller.accountId });
    await disableSubscription(deps, disableRequest(caller, some!.id));
    const again = toSnapshot(await createSubscription(deps, requests[refused[0]!.at]!));
    expect(again.replayed).toBe(false);
    expect(await activeOf(caller.accountId)).toEqual({ counted: 10, rows: 10 });
  });

  test("the limit is one per environment", async () => {
    const caller = newCaller();
    for (let n = 0; n < 10; n++) await createSubscription(deps, createRequest(caller));
    const live = toSnapshot(await createSubscription(deps, createRequest({ ...caller, environment: "live" })));
    expect(live.json.livemode).toBe(true);
  });

  test("422 for a refused url and for events that are not different event types", async () => {
    const refusal = { code: "invalid_request" };
    const url = createSubscription(deps, createRequest(newCaller(), { url: "https://127.0.0.1/" }));
    await expect(url).rejects.toMatchObject({
      ...refusal,
      fields: [{ path: "url", message: expect.stringContaining("IP address") }],
    });
    for (const events of [[], ["order.updated"], ["label.created", "label.created"]]) {
      const created = createSubscription(deps, createRequest(newCaller(), { events }));
      await expect(created).rejects.toMatchObject({ ...refusal, fields: [{ path: "events" }] });
    }
    const both = createSubscription(deps, createRequest(newCaller(), { url: "http://a.example", events: [] }));
    await expect(both).rejects.toMatchObject({ fields: [{ path: "url" }, { path: "events" }] });
  });
});
