import { eventually } from "@shipping/kit/testing/eventually";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import type { Receiver } from "../testing/receiver.js";
import { eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import type { DispatchDeps } from "./deps.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let receiver: Receiver;
const held: (() => void)[] = [];
beforeAll(async () => {
  receiver = await webhooks.receiver((response) => held.push(() => response.writeHead(204).end()));
});

/** Starts a process that has claimed the first attempts of this many events of one subscription, as far as its eight slots go. */
async function attempting(events: number): Promise<{ deps: DispatchDeps; woken: () => number }> {
  const deps = webhooks.replica();
  let woken = 0;
  deps.wakeDispatcher = () => {
    woken += 1;
  };
  const caller = newCaller();
  await subscribe(deps, caller, receiver.url);
  const { received } = receiver;
  const before = received.length;
  await acceptEvents(deps, eventsFor(caller, events));
  await eventually(() => expect(received.length - before).toBe(Math.min(events, 8)));
  return { deps, woken: () => woken };
}

const answerAll = () => {
  for (const answer of held.splice(0)) answer();
};

const delivered = (deps: DispatchDeps) => countIn(deps.db, "deliveries", { state: "delivered" });

test("an arrival, and the end of an attempt, wake the dispatcher where their subscription has more that is due, and only there", async () => {
  const crowded = await attempting(9);
  expect(crowded.woken()).toBe(1);
  answerAll();
  await eventually(async () => expect(await delivered(crowded.deps)).toBe(8));
  expect(crowded.woken()).toBeGreaterThan(1);

  const alone = await attempting(8);
  answerAll();
  await eventually(async () => expect(await delivered(alone.deps)).toBe(16));
  expect(alone.woken()).toBe(0);
});
