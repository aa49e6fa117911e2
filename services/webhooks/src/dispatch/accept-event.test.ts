import { create, toBinary } from "@bufbuild/protobuf";
import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { FilterMissingRequestSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { filterMissing } from "../events/read-events.js";
import { disableSubscription } from "../subscriptions/disable-subscription.js";
import type { Receiver } from "../testing/receiver.js";
import { failThrice, findQueue, waitingForLocks } from "../testing/stored-deliveries.js";
import { disableRequest, eventFor, eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents, deadLetterEvent } from "./accept-event.js";
import type { DispatchDeps } from "./deps.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: DispatchDeps;
let full: DispatchDeps;
let hanging: Receiver;
beforeAll(async () => {
  deps = webhooks.replica();
  full = webhooks.idle();
  hanging = await webhooks.receiver(() => {});
});

const stateOf = async (subscriptionId: string) => {
  const rows = await deps.db.run<{ state: string; attempt: number }>(
    sql`SELECT state, attempt FROM deliveries WHERE subscription_id = ${subscriptionId} ORDER BY event_id`,
  );
  return rows.map(({ state, attempt }) => `${state} ${attempt}`);
};

describe("acceptEvents", () => {
  test("makes a delivery for each active subscription of that account, environment and type", async () => {
    const caller = newCaller();
    const events = ["shipment.created", "order.created"];
    const wanting = [await subscribe(full, caller, hanging.url), await subscribe(full, caller, hanging.url, events)];
    const others = [
      await subscribe(full, caller, hanging.url, ["label.created"]),
      await subscribe(full, newCaller(), hanging.url),
      await subscribe(full, { ...caller, environment: "live" }, hanging.url),
    ];
    const disabled = await subscribe(full, caller, hanging.url);
    await disableSubscription(full, disableRequest(caller, disabled.id));

    const event = eventFor(caller);
    await acceptEvents(full, [event]);
    for (const { id } of wanting) expect(await stateOf(id)).toEqual(["pending 0"]);
    for (const { id } of [...others, disabled]) expect(await stateOf(id)).toEqual([]);
    expect(await rowsIn(deps.db, "events", { id: event.id })).toMatchObject([
      { body: Buffer.from(event.body), traceparent: null },
    ]);
  });

  test("a repeated event makes no deliveries, in the same batch or later, even for new subscriptions", async () => {
    const caller = newCaller();
    const { id } = await subscribe(full, caller, hanging.url);
    const event = eventFor(caller);
    await acceptEvents(full, [event, event]);
    const later = await subscribe(full, caller, hanging.url);
    await acceptEvents(full, [event]);
    expect([await stateOf(id), await stateOf(later.id)]).toEqual([["pending 0"], []]);
  });

  test("where slots are free deliveries are inserted claimed, eight of a subscription, and sent at once", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, hanging.url);
    await acceptEvents(deps, eventsFor(caller, 11));
    const states = await stateOf(id);
    expect(states.filter((state) => state === "in_flight 1")).toHaveLength(8);
    expect(states.filter((state) => state === "pending 0")).toHaveLength(3);
    expect(await findQueue(deps.db, id)).toMatchObject({ inFlight: 8, nextDue: expect.any(Date) });
  });

  test("while all slots are taken events wait for one on the bus, and are inserted claimed", async () => {
    const answers: (() => void)[] = [];
    const slow = await webhooks.receiver((response) => answers.push(() => response.writeHead(204).end()));
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, slow.url);
    const small = webhooks.replica({ config: { MAX_ATTEMPTS_IN_FLIGHT: 1 } });
    await acceptEvents(small, [eventFor(caller)]);
    const waiting = acceptEvents(small, [eventFor(caller)], 60_000);
    for (const end of [1, 2]) {
      await eventually(() => expect(slow.received).toHaveLength(end));
      answers.shift()!();
    }
    await waiting;
    await eventually(async () => expect(await stateOf(id)).toEqual(["delivered 1", "delivered 1"]));
  });

  test("after a short wait they are stored as pending", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, hanging.url);
    const small = webhooks.replica({ config: { MAX_ATTEMPTS_IN_FLIGHT: 1 } });
    for (let event = 1; event <= 2; event++) await acceptEvents(small, [eventFor(caller)], 1);
    expect((await stateOf(id)).sort()).toEqual(["in_flight 1", "pending 0"]);
  });

  test("older deliveries go first: while one is due, new deliveries are inserted pending", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, hanging.url);
    await acceptEvents(full, [eventFor(caller)]);
    await acceptEvents(deps, [eventFor(caller)]);
    expect(await stateOf(id)).toEqual(["pending 0", "pending 0"]);
  });

  test("an unhealthy subscription's deliveries are left to the dispatcher, which knows its limit", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, hanging.url);
    await failThrice(deps.db, id);
    await acceptEvents(deps, [eventFor(caller)]);
    expect(await stateOf(id)).toEqual(["pending 0"]);
  });

  test("several replicas at once, overlapping: every event once, no deadlock, eight in flight", async () => {
    const caller = newCaller();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await subscribe(deps, caller, hanging.url)).id);
    const replicas = [deps, webhooks.replica(), webhooks.replica()];
    const events = eventsFor(caller, 60);
    const shuffled = () => [...events].sort(() => Math.random() - 0.5);
    await Promise.all(
      replicas.flatMap((replica) =>
        Array.from({ length: 3 }, () => {
          const order = shuffled();
          return Promise.all([0, 20, 40].map((at) => acceptEvents(replica, order.slice(at, at + 20))));
        }),
      ),
    );
    for (const id of ids) {
      const states = await stateOf(id);
      expect(states).toHaveLength(60);
      const inFlight = states.filter((state) => state === "in_flight 1").length;
      expect(inFlight).toBeLessThanOrEqual(8);
      expect(await findQueue(deps.db, id)).toMatchObject({ inFlight });
    }
  });

  test("two replicas at the same time count each other's: eight in flight", async () => {
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, hanging.url);
    const locking = await openTransaction(deps.db);
    await locking.query("SELECT FROM ready_queue WHERE subscription_id = $1 FOR UPDATE", [id]);
    const accepting = [webhooks.replica(), webhooks.replica()].map((replica) =>
      acceptEvents(replica, eventsFor(caller, 8)),
    );
    await waitingForLocks(deps.db, 2);
    await locking.query("COMMIT");
    locking.release();
    await Promise.all(accepting);
    expect((await stateOf(id)).filter((state) => state === "in_flight 1")).toHaveLength(8);
  });

  test("locks the queue in one order, unhealthy subscriptions included: no deadlock with the ends of attempts", async () => {
    const caller = newCaller();
    const subscriptions = [await subscribe(deps, caller, hanging.url), await subscribe(deps, caller, hanging.url)];
    const [first = "", second = ""] = subscriptions.map(({ id }) => id).sort();
    await failThrice(deps.db, first);
    const ending = await openTransaction(deps.db);
    const lock = (id: string) => ending.query("SELECT FROM ready_queue WHERE subscription_id = $1 FOR UPDATE", [id]);
    await lock(first);
    const accepting = acceptEvents(full, [eventFor(caller)]);
    await waitingForLocks(deps.db, 1);
    await lock(second);
    await ending.query("COMMIT");
    ending.release();
    await accepting;
    expect([await stateOf(first), await stateOf(second)]).toEqual([["pending 0"], ["pending 0"]]);
  });

  test("an event that cannot be understood is kept as dead with its reason, and does not hold up the others", async () => {
    const caller = newCaller();
    const good = eventFor(caller);
    const faulty = [
      { ...eventFor(caller), type: "order.\u0000created" },
      { ...eventFor(caller), environment: "staging" },
      { ...eventFor(caller), accountId: "acc_x" },
    ];
    await acceptEvents(deps, [...faulty, good]);
    expect(await countIn(deps.db, "events", { accountId: caller.accountId })).toBe(1);
    const dead = await rowsIn<{ reason: string }>(deps.db, "dead_events", { eventId: faulty.map(({ id }) => id) });
    expect(dead.map(({ reason }) => reason).sort()).toEqual([
      "the account ID is malformed",
      "the environment is unknown",
      "the event type is unknown",
    ]);
  });
});

test("deadLetterEvent keeps text that PostgreSQL cannot store: the ID only if it is one, the reason with U+FFFD for U+0000", async () => {
  const caller = newCaller();
  const good = eventFor(caller);
  const faulty = { ...eventFor(caller), id: "evt_\u0000" };
  await acceptEvents(full, [faulty, good]);
  expect(await countIn(deps.db, "events", { accountId: caller.accountId })).toBe(1);
  const message = Buffer.from(toBinary(EventSchema, faulty));
  expect(await rowsIn(deps.db, "dead_events", { message })).toMatchObject([
    { eventId: null, kind: "unreadable", reason: "the event ID is malformed" },
  ]);
  await deadLetterEvent(deps, message, "unreadable", "published as events.sandbox.\u0000", good.id);
  const [dead] = await rowsIn(deps.db, "dead_events", { eventId: good.id });
  expect(dead).toMatchObject({ message, reason: "published as events.sandbox.\ufffd" });
});

test("filterMissing names events that have neither arrived nor been dead-lettered", async () => {
  const caller = newCaller();
  const [arrived, dead, missing] = [eventFor(caller), eventFor(caller), eventFor(caller)];
  await acceptEvents(full, [arrived]);
  await deadLetterEvent(deps, toBinary(EventSchema, dead), "unreadable", "a reason", dead.id);
  const events = [arrived, missing, dead].map(({ id }) => ({ id, createdAt: new Date().toISOString() }));
  const request = create(FilterMissingRequestSchema, { events });
  expect((await filterMissing(deps, request)).missingEventIds).toEqual([missing.id]);
});
