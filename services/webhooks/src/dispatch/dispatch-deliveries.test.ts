import { eventually } from "@shipping/kit/testing/eventually";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { withStatus } from "../testing/receiver.js";
import { expectExactRows, failThrice, findDelivery, findQueue } from "../testing/stored-deliveries.js";
import { eventFor, eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import type { DispatchDeps } from "./deps.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import { verifySignature } from "./signature.js";

const MINUTE = 60_000;
const webhooks = webhooksUnderTest(beforeEach, afterEach, expectExactRows);
let inbox: DispatchDeps;
beforeEach(() => {
  inbox = webhooks.idle();
});

/** Creates a subscription with a backlog of this many events. */
async function backlog(url: string, events: number): Promise<string> {
  const caller = newCaller();
  const { id } = await subscribe(inbox, caller, url);
  await acceptEvents(inbox, eventsFor(caller, events));
  return id;
}

async function countOf(subscriptionId: string, state: string): Promise<number> {
  return countIn(inbox.db, "deliveries", { subscriptionId, state });
}

async function expectIdle(): Promise<void> {
  await eventually(async () => expect(await countIn(inbox.db, "deliveries", { state: "in_flight" })).toBe(0));
}

describe("dispatchOnce", () => {
  test("a receiver that always fails gets eight requests, at about 0, 1, 3, 7, 15, 31, 63 and 123 minutes", async () => {
    // Neither the status nor the header has an effect.
    const receiver = await webhooks.receiver((response) => response.writeHead(410, { "retry-after": "7200" }).end());
    const caller = newCaller();
    const { id, secret } = await subscribe(inbox, caller, receiver.url);
    const event = eventFor(caller);
    await acceptEvents(inbox, [event]);
    let atMs = 0;
    const deps = webhooks.replica({
      random: (bytes) => Buffer.alloc(bytes, 255),
      now: () => new Date(Date.now() + atMs),
    });
    const dispatchAfter = async (ms: number) => {
      atMs += ms;
      deps.clockOffsetMs = atMs;
      const claimed = await dispatchOnce(deps);
      await expectIdle();
      return claimed;
    };

    expect(await dispatchAfter(0)).toBe(1);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60]) {
      expect(await dispatchAfter(minutes * 1.1 * MINUTE - 30_000)).toBe(0);
      expect(await dispatchAfter(30_000)).toBe(1);
    }
    expect(await dispatchAfter(1_000 * MINUTE)).toBe(0);
    await deps.health.flushOnce();
    const hours = await rowsIn<{ failed: number; exhausted: number }>(inbox.db, "subscription_hours", {
      subscriptionId: id,
    });
    const sum = (counts: number[]) => counts.reduce((all, count) => all + count);
    expect([sum(hours.map(({ failed }) => failed)), sum(hours.map(({ exhausted }) => exhausted))]).toEqual([8, 1]);

    expect(receiver.received).toHaveLength(8);
    expect(await findDelivery(inbox.db, { subscriptionId: id })).toMatchObject({
      state: "exhausted",
      attempt: 8,
      lastStatus: 410,
    });
    const times = receiver.received.map(({ headers, body }) => {
      expect(body).toEqual(Buffer.from(event.body));
      expect(headers["service-event-id"]).toBe(event.id);
      const signature = String(headers["service-signature"]);
      const time = Number(/t=(\d+)/.exec(signature)?.[1]);
      expect(verifySignature(secret, signature, body, time)).toBe(true);
      return time;
    });
    const minutes = times.map((time) => Math.round((time - times[0]!) / 60 / 1.1));
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
  });

  test("a success after failures ends the delivery and the streak", async () => {
    const receiver = await webhooks.receiver((response, _received, count) =>
      response.writeHead(count < 3 ? 503 : 200).end(),
    );
    const id = await backlog(receiver.url, 1);
    const deps = webhooks.replica();
    for (let attempt = 1; attempt <= 3; attempt++) {
      await dispatchOnce(deps);
      await expectIdle();
      deps.clockOffsetMs += 10 * MINUTE;
    }
    expect(await dispatchOnce(deps)).toBe(0);
    expect(await countOf(id, "delivered")).toBe(1);
    expect(await findQueue(inbox.db, id)).toMatchObject({ failStreak: 0, nextDue: null });
  });

  test("fair: a long backlog of an endpoint that hangs does not slow down others", async () => {
    const hanging = await webhooks.receiver(() => {});
    const healthy = await webhooks.receiver(withStatus(204));
    const slow = await backlog(hanging.url, 200);
    const fast = await Promise.all(Array.from({ length: 5 }, () => backlog(healthy.url, 10)));
    const deps = webhooks.replica({ config: { MAX_ATTEMPTS_IN_FLIGHT: 20 } });
    await eventually(async () => {
      await dispatchOnce(deps);
      const delivered = await Promise.all(fast.map((id) => countOf(id, "delivered")));
      expect(delivered).toEqual([10, 10, 10, 10, 10]);
    });
    expect(await countOf(slow, "in_flight")).toBe(8);
    expect(hanging.received).toHaveLength(8);
  });

  test("after three failures in a row a subscription has two in flight, however many slots are free", async () => {
    const receiver = await webhooks.receiver(() => {});
    const id = await backlog(receiver.url, 5);
    await failThrice(inbox.db, id);
    const deps = webhooks.replica();
    while ((await dispatchOnce(deps)) > 0);
    expect(await countOf(id, "in_flight")).toBe(2);
  });

  test("unhealthy subscriptions share 30 % of the slots", async () => {
    const receiver = await webhooks.receiver(() => {});
    const unhealthy = await Promise.all(Array.from({ length: 3 }, () => backlog(receiver.url, 5)));
    await failThrice(inbox.db, ...unhealthy);
    const deps = webhooks.replica({ config: { MAX_ATTEMPTS_IN_FLIGHT: 17 } });
    const caller = newCaller();
    const { id: healthy } = await subscribe(inbox, caller, receiver.url);
    // The first eight events are sent on arrival.
    await acceptEvents(deps, eventsFor(caller, 9));
    while ((await dispatchOnce(deps)) > 0);
    const inFlight = await Promise.all(unhealthy.map((id) => countOf(id, "in_flight")));
    expect(inFlight.sort()).toEqual([1, 2, 2]);
    expect(await countOf(healthy, "in_flight")).toBe(8);
  });

  test("an unhealthy subscription has its turn beside the backlog of a healthy one", async () => {
    const receiver = await webhooks.receiver(() => {});
    const [healthy, unhealthy] = [await backlog(receiver.url, 4), await backlog(receiver.url, 2)];
    await failThrice(inbox.db, unhealthy);
    const deps = webhooks.replica({ config: { MAX_ATTEMPTS_IN_FLIGHT: 3 } });
    expect(await dispatchOnce(deps)).toBe(3);
    expect([await countOf(healthy, "in_flight"), await countOf(unhealthy, "in_flight")]).toEqual([2, 1]);
  });

  test("unhealthy subscriptions take turns, too: each has one in flight before another has two", async () => {
    const receiver = await webhooks.receiver(() => {});
    const unhealthy = await Promise.all(Array.from({ length: 2 }, () => backlog(receiver.url, 2)));
    await failThrice(inbox.db, ...unhealthy);
    const deps = webhooks.replica({ config: { MAX_ATTEMPTS_IN_FLIGHT: 7 } });
    expect(await dispatchOnce(deps)).toBe(2);
    expect(await Promise.all(unhealthy.map((id) => countOf(id, "in_flight")))).toEqual([1, 1]);
  });
});
