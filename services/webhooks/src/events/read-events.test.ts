import { create } from "@bufbuild/protobuf";
import { newId, pooledRandom } from "@shipping/kit/ids";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import {
  GetEventRequestSchema,
  ListEventOutcomesRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { acceptEvents } from "../dispatch/accept-event.js";
import { dispatchOnce } from "../dispatch/dispatch-deliveries.js";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { getEvent, listEventOutcomes } from "./read-events.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);

test("an event is returned as it is sent, only to its own account and environment", async () => {
  const deps = webhooks.replica();
  const caller = newCaller();
  const label = newId("lbl", pooledRandom);
  const data = JSON.stringify({ id: label, object: "label", status: "created" });
  const event = newEvent({ type: "label.created", caller, data, now: new Date(), random: pooledRandom });
  await acceptEvents(deps, [event]);
  const ask = (by = caller, id = event.id) => getEvent(deps, create(GetEventRequestSchema, { caller: by, id }));

  expect(await ask()).toMatchObject({ type: "label.created", resourceId: label, body: event.body });
  const others = [newCaller(), { ...caller, environment: "live" as const }];
  for (const other of others) await expect(ask(other)).rejects.toMatchObject({ code: "not_found" });
  await expect(ask(caller, newId("evt", pooledRandom))).rejects.toMatchObject({ code: "not_found" });
});

test("the outcomes of events: one for each subscription, of the caller's own events only", async () => {
  const deps = webhooks.idle();
  const { url } = await webhooks.receiver();
  const caller = newCaller();
  const subscribed = [await subscribe(deps, caller, url), await subscribe(deps, caller, url)]
    .map(({ id }) => id)
    .sort();
  const [wanted, unwanted] = [eventFor(caller), eventFor(caller, "order.created")];
  await acceptEvents(deps, [wanted, unwanted]);
  const ask = async (by = caller) => {
    const eventIds = [unwanted.id, wanted.id, newId("evt", pooledRandom)];
    const { eventIds: arrived, outcomes } = await listEventOutcomes(
      deps,
      create(ListEventOutcomesRequestSchema, { caller: by, eventIds }),
    );
    return {
      arrived,
      outcomes: outcomes.map(({ subscriptionId, state, endedAt, nextAt, attempts }) => [
        ...[subscriptionId, state, endedAt],
        ...[nextAt !== undefined, attempts],
      ]),
    };
  };
  expect(await ask()).toEqual({
    arrived: [unwanted.id, wanted.id].sort(),
    outcomes: subscribed.map((id) => [id, "pending", undefined, true, 0]),
  });
  expect(await ask(newCaller())).toEqual({ arrived: [], outcomes: [] });

  expect(await dispatchOnce(webhooks.replica())).toBe(2);
  await eventually(async () =>
    expect((await ask()).outcomes).toEqual(
      subscribed.map((id) => [id, "delivered", expect.stringMatching(/Z$/), false, 1]),
    ),
  );
});
