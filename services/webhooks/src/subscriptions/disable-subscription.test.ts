import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { fence, newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { noSuch } from "@shipping/proto/errors";
import { disableRequest, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { disableSubscription } from "./disable-subscription.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: ReturnType<typeof webhooks.replica>;
beforeAll(() => {
  deps = webhooks.replica();
});

const url = "https://example.com/hook";
const activeOf = async (accountId: string) =>
  (await rowsIn<{ active: number }>(deps.db, "active_subscriptions", { accountId }))[0]?.active;

describe("disableSubscription", () => {
  test("answers 200 with the disabled subscription, without its secret", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, url);
    const { status, json } = toSnapshot(await disableSubscription(deps, disableRequest(caller, id)));
    expect(status).toBe(200);
    expect(json).toMatchObject({ id, object: "webhook", status: "disabled", disabled_at: expect.any(String) });
    expect(json).not.toHaveProperty("secret");
    expect(await activeOf(caller.accountId)).toBe(0);
  });

  test("again with a new key: answered unchanged, replayable, and counted once", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, url);
    await subscribe(deps, caller, url);
    const first = toSnapshot(await disableSubscription(deps, disableRequest(caller, id)));
    const request = disableRequest(caller, id);
    const second = toSnapshot(await disableSubscription(deps, request));
    expect(second).toEqual(first);
    expect(toSnapshot(await disableSubscription(deps, request))).toEqual({ ...first, replayed: true });
    expect(await activeOf(caller.accountId)).toBe(1);
  });

  test("twenty concurrent requests with their own keys: all get the same answer, and one of them disables it", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, url);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => disableSubscription(deps, disableRequest(caller, id))),
    );
    expect(new Set(outcomes.map((outcome) => Buffer.from(toSnapshot(outcome).body).toString())).size).toBe(1);
    expect(outcomes.some((outcome) => toSnapshot(outcome).replayed)).toBe(false);
    expect(await activeOf(caller.accountId)).toBe(0);
  });

  test("404 for a foreign or missing one, whose key stays free", async () => {
    const [owner, other] = [newCaller(), newCaller()];
    const { id } = await subscribe(deps, owner, url);
    const claim = newClaim();
    for (const caller of [other, { ...owner, environment: "live" as const }]) {
      const disabled = disableSubscription(deps, disableRequest(caller, id, claim));
      await expect(disabled).rejects.toMatchObject({ code: "not_found", message: noSuch("webhook subscription") });
    }
    expect(await countIn(deps.db, "ledger", { idempotencyKey: claim.idempotencyKey })).toBe(0);
  });

  test("a claim that is fenced off has no effect", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, url);
    const claim = newClaim();
    await fence(deps.db, caller, claim);
    const { outcome } = await disableSubscription(deps, disableRequest(caller, id, claim));
    expect(outcome.case).toBe("stale");
    expect(await activeOf(caller.accountId)).toBe(1);
  });
});
