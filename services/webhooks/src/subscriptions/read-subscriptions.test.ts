import { create } from "@bufbuild/protobuf";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller, textIn } from "@shipping/kit/testing/writes";
import {
  GetSubscriptionRequestSchema,
  ListSubscriptionsRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { disableRequest, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { disableSubscription } from "./disable-subscription.js";
import { getSubscription, listSubscriptions } from "./read-subscriptions.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: ReturnType<typeof webhooks.replica>;
beforeAll(() => {
  deps = webhooks.replica();
});

const url = "https://example.com/hook";
const get = (caller: ReturnType<typeof newCaller>, id: string) =>
  getSubscription(deps, create(GetSubscriptionRequestSchema, { caller, id }));

describe("getSubscription", () => {
  test("answers without the secret", async () => {
    const caller = newCaller("live");
    const { id } = await subscribe(deps, caller, url);
    const subscription = jsonIn(await get(caller, id));
    expect(subscription).toMatchObject({ id, object: "webhook", url, status: "active", livemode: true });
    expect(subscription).not.toHaveProperty("secret");
    expect(subscription).not.toHaveProperty("disabled_at");
  });

  test("not_found for a foreign one, as for a missing one", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, url);
    const foreign = [newCaller(), { ...caller, environment: "live" as const }];
    for (const other of foreign) await expect(get(other, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(get(caller, "whk_missing")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("listSubscriptions", () => {
  test("the cost of a page does not depend on the number of subscriptions", async () => {
    const { db, statements } = watched(deps.db);
    await listSubscriptions(
      { ...deps, db },
      create(ListSubscriptionsRequestSchema, { caller: newCaller(), limit: 25 }),
    );
    expect(await costlyNodes(db, statements[0]!)).toEqual([]);
  });

  test("pages through the caller's subscriptions by id, disabled ones included", async () => {
    const caller = newCaller();
    await subscribe(deps, newCaller(), url);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await subscribe(deps, caller, url)).id);
    await disableSubscription(deps, disableRequest(caller, made[2]!));

    const seen: string[] = [];
    let after: string | undefined;
    do {
      const request = create(ListSubscriptionsRequestSchema, { caller, limit: 2, ...(after ? { after } : {}) });
      const page = await listSubscriptions(deps, request);
      expect(textIn(page)).not.toContain("whsec_");
      const ids = jsonIn(page).map(({ id }: { id: string }) => id);
      expect(ids.length).toBeLessThanOrEqual(2);
      seen.push(...ids);
      after = page.nextCursor;
    } while (after);
    expect(seen).toEqual([...made].sort());
  });

  test("lists those of one state, by an index, and refuses another word", async () => {
    const caller = newCaller();
    const [active, disabled] = [await subscribe(deps, caller, url), await subscribe(deps, caller, url)];
    await disableSubscription(deps, disableRequest(caller, disabled.id));
    const { db, statements } = watched(deps.db);
    const list = async (status: string) => {
      const asked = create(ListSubscriptionsRequestSchema, { caller, limit: 25, status });
      return jsonIn(await listSubscriptions({ ...deps, db }, asked)).map(({ id }: { id: string }) => id);
    };
    expect([await list("active"), await list("disabled")]).toEqual([[active.id], [disabled.id]]);
    for (const statement of statements) expect(await costlyNodes(db, statement)).toEqual([]);
    await expect(list("failing")).rejects.toMatchObject({ code: "invalid_request" });
  });
});
