import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { newId } from "@shipping/kit/ids";
import { openTransaction } from "@shipping/kit/testing/database";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import {
  ListDeliveriesRequestSchema,
  ResendDeliveriesRequestSchema,
  ShowEventRequestSchema,
  ShowSubscriptionRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql from "sql-template-tag";
import { acceptEvents } from "../dispatch/accept-event.js";
import type { DispatchDeps } from "../dispatch/deps.js";
import { dispatchOnce } from "../dispatch/dispatch-deliveries.js";
import { disableSubscription } from "../subscriptions/disable-subscription.js";
import { waitingForLocks } from "../testing/stored-deliveries.js";
import { disableRequest, eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { resendDeliveries } from "./control-deliveries.js";
import { listDeliveries, showEvent } from "./read-deliveries.js";
import { showSubscription } from "./show-subscription.js";

const URL = "https://example.com/hook";
const LONG_AGO = "2000-01-01T00:00:00.000Z";

const webhooks = webhooksUnderTest(beforeEach, afterEach);
let deps: DispatchDeps;
beforeEach(() => {
  deps = webhooks.idle();
});

/** Creates a subscription, and events for it that have arrived one after the other, the latest first. */
async function arrived(count: number) {
  const caller = newCaller();
  const { id } = await subscribe(deps, caller, URL);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const event = eventFor(caller);
    await acceptEvents(webhooks.idle({ clockOffsetMs: n * 1_000 - 60_000 }), [event]);
    ids.unshift(event.id);
  }
  return { caller, subscriptionId: id, ids };
}

const setState = (eventId: string, state: string, extra = sql``) =>
  webhooks.db.run(sql`
    UPDATE deliveries SET state = ${state}, attempt = 8, next_at = NULL, last_status = 500, last_ms = 12 ${extra}
    WHERE event_id = ${eventId}`);

/** Writes the state that the dispatcher and attempts would write. */
const stateSql = {
  pending: "UPDATE deliveries SET state = 'pending', next_at = now(), lease_until = NULL, claim_id = NULL",
  inFlight: `UPDATE deliveries SET state = 'in_flight', attempt = attempt + 1, next_at = NULL,
    lease_until = now() + interval '20 seconds', claim_id = gen_random_uuid()`,
  delivered: "UPDATE deliveries SET state = 'delivered', lease_until = NULL, claim_id = NULL",
};

const list = (subscriptionId: string, extra: object = {}, maxExamined?: number) =>
  listDeliveries(
    deps,
    create(ListDeliveriesRequestSchema, { subscriptionId, since: LONG_AGO, limit: 100, ...extra }),
    maxExamined,
  );
const resend = async (eventId: string, subscriptionId: string) => {
  const request = create(ResendDeliveriesRequestSchema, { deliveries: [{ eventId, subscriptionId }] });
  return (await resendDeliveries(deps, request)).outcomes;
};
const eventIds = ({ deliveries }: { deliveries: { eventId: string }[] }) => deliveries.map(({ eventId }) => eventId);

describe("an event is shown", () => {
  test("with its body, and the state of each delivery", async () => {
    const { caller, subscriptionId, ids } = await arrived(1);
    await subscribe(deps, caller, "https://example.com/later");
    await setState(ids[0]!, "exhausted");
    const shown = await showEvent(deps, create(ShowEventRequestSchema, { id: ids[0]! }));
    expect(shown).toMatchObject({ ...caller, type: "shipment.created" });
    expect(JSON.parse(Buffer.from(shown.body).toString())).toMatchObject({ id: ids[0] });
    expect(shown.deliveries).toMatchObject([
      { subscriptionId, state: "exhausted", attempt: 8, lastStatus: 500, lastMs: 12, url: URL },
    ]);
  });

  test("not if no event of that id has arrived", async () => {
    const request = create(ShowEventRequestSchema, { id: newId("evt", randomBytes) });
    await expect(showEvent(deps, request)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the deliveries of a subscription are listed", () => {
  test("the latest event first, those of that state, and since that time", async () => {
    const { subscriptionId, ids } = await arrived(4);
    await arrived(1);
    await setState(ids[1]!, "exhausted");
    expect(eventIds(await list(subscriptionId))).toEqual(ids);
    expect(eventIds(await list(subscriptionId, { state: "exhausted" }))).toEqual([ids[1]]);
    const { receivedAt } = (await list(subscriptionId)).deliveries[1]!;
    expect(eventIds(await list(subscriptionId, { since: receivedAt }))).toEqual(ids.slice(0, 2));
    await expect(list(newId("whk", randomBytes))).rejects.toMatchObject({ code: "not_found" });
  });

  test("page by page, each once, even if a call stops after many events of others", async () => {
    const { subscriptionId, ids } = await arrived(5);
    for (let n = 0; n < 3; n++) await arrived(4);
    for (const [extra, maxExamined] of [[{ limit: 2 }], [{}, 3], [{ limit: 1 }, 2]] as const) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await list(subscriptionId, { ...extra, ...(after && { after }) }, maxExamined);
        seen.push(...eventIds(page));
        after = page.nextCursor;
      } while (after);
      expect(seen).toEqual(ids);
    }
  });
});

describe("a delivery is resent", () => {
  test.each(["delivered", "exhausted", "an hour from its next attempt"])(
    "at once when it was %s: the same bytes, with eight attempts before it",
    async (state) => {
      const { subscriptionId, ids } = await arrived(1);
      if (state.startsWith("an hour"))
        await webhooks.db.run(sql`UPDATE deliveries SET attempt = 7, next_at = now() + interval '1 hour'`);
      else await setState(ids[0]!, state);
      expect(await dispatchOnce(webhooks.replica())).toBe(0);
      expect(await resend(ids[0]!, subscriptionId)).toEqual(["resent"]);
      expect(await list(subscriptionId)).toMatchObject({ deliveries: [{ state: "pending", attempt: 0 }] });
      expect(await dispatchOnce(webhooks.replica())).toBe(1);
    },
  );

  test("not while an attempt is under way, not to a disabled subscription, and not if it does not exist", async () => {
    const { caller, subscriptionId, ids } = await arrived(2);
    await setState(
      ids[0]!,
      "in_flight",
      sql`, claim_id = gen_random_uuid(), lease_until = now() + interval '1 minute'`,
    );
    expect(await resend(ids[0]!, subscriptionId)).toEqual(["in_flight"]);
    expect(await resend(ids[0]!, newId("whk", randomBytes))).toEqual(["not_found"]);
    await setState(ids[1]!, "exhausted");
    await disableSubscription(deps, disableRequest(caller, subscriptionId));
    expect(await resend(ids[1]!, subscriptionId)).toEqual(["disabled"]);
    expect(await list(subscriptionId)).toMatchObject({ deliveries: [{ state: "in_flight" }, { state: "exhausted" }] });
  });

  test.each([
    ["ends", stateSql.inFlight, stateSql.delivered, "resent", "pending"],
    ["begins", stateSql.pending, stateSql.inFlight, "in_flight", "in_flight"],
  ])(
    "or is not, as it stands once an attempt that %s meanwhile is recorded",
    async (_, before, then, outcome, state) => {
      const { subscriptionId, ids } = await arrived(1);
      await webhooks.db.pool.query(before);
      const recording = await openTransaction(webhooks.db);
      await recording.query(then);
      const resending = resend(ids[0]!, subscriptionId);
      await waitingForLocks(webhooks.db, 1);
      await recording.query("COMMIT");
      recording.release();
      expect(await resending).toEqual([outcome]);
      expect(await list(subscriptionId)).toMatchObject({ deliveries: [{ state }] });
    },
  );

  test("by reading only the requested ones, however many others there are", async () => {
    const { subscriptionId, ids } = await arrived(1);
    const { db, statements } = watched(webhooks.db);
    const request = create(ResendDeliveriesRequestSchema, { deliveries: [{ eventId: ids[0]!, subscriptionId }] });
    await resendDeliveries({ ...deps, db }, request);
    expect(await costlyNodes(db, statements[0]!)).toEqual([]);
  });

  test("many in one call, each with its outcome in order", async () => {
    const { subscriptionId, ids } = await arrived(3);
    for (const id of ids) await setState(id, "exhausted");
    const unknown = newId("evt", randomBytes);
    const deliveries = [ids[2]!, unknown, ids[0]!, ids[2]!].map((eventId) => ({ eventId, subscriptionId }));
    const { outcomes } = await resendDeliveries(deps, create(ResendDeliveriesRequestSchema, { deliveries }));
    expect(outcomes).toEqual(["resent", "not_found", "resent", "resent"]);
    expect(eventIds(await list(subscriptionId, { state: "exhausted" }))).toEqual([ids[1]]);
  });
});

test("a subscription is shown with its backlog and its owner, and never with its secret", async () => {
  const { caller, subscriptionId } = await arrived(3);
  const shown = await showSubscription(deps, create(ShowSubscriptionRequestSchema, { id: subscriptionId }));
  expect(shown).toMatchObject({ ...caller, id: subscriptionId, url: URL, status: "active", pending: 3, inFlight: 0 });
  expect(Date.parse(shown.nextDue ?? "")).toBeLessThan(Date.now());
  expect(Object.keys(shown)).not.toContain("secret");
  const request = create(ShowSubscriptionRequestSchema, { id: newId("whk", randomBytes) });
  await expect(showSubscription(deps, request)).rejects.toMatchObject({ code: "not_found" });
});
