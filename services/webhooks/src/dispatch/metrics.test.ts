import { eventually } from "@shipping/kit/testing/eventually";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { withStatus } from "../testing/receiver.js";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents, deadLetterEvent } from "./accept-event.js";
import type { DispatchDeps } from "./deps.js";

const webhooks = webhooksUnderTest(beforeEach, afterEach);
let deps: DispatchDeps;
beforeEach(() => {
  deps = webhooks.replica();
});

const shown = async () => (await deps.metrics.render()).split("\n").filter((line) => line && !line.startsWith("#"));

test("accepted and dead events are counted", async () => {
  await acceptEvents(deps, [eventFor(newCaller()), eventFor(newCaller())]);
  await deadLetterEvent(deps, Buffer.of(0), "unreadable", "a reason");
  expect(await shown()).toEqual(
    expect.arrayContaining([
      'webhooks_events_accepted_total{part="webhooks"} 2',
      'webhooks_events_dead_total{part="webhooks"} 1',
    ]),
  );
});

test("attempts are counted by outcome, each once", async () => {
  const answers = [204, 500, 200];
  const receiver = await webhooks.receiver((response, received, count) =>
    withStatus(answers[count - 1]!)(response, received, count),
  );
  const caller = newCaller();
  await subscribe(deps, caller, receiver.url);
  for (const _ of answers) {
    await acceptEvents(deps, [eventFor(caller)]);
    await eventually(async () => expect(await countIn(deps.db, "deliveries", { state: "in_flight" })).toBe(0));
  }
  await subscribe(deps, caller, "http://localhost:1/closed", ["order.created"]);
  await acceptEvents(deps, [eventFor(caller, "order.created")]);
  await eventually(async () =>
    expect((await shown()).filter((line) => line.startsWith("webhooks_attempts_total"))).toEqual(
      expect.arrayContaining([
        'webhooks_attempts_total{outcome="delivered",part="webhooks"} 2',
        'webhooks_attempts_total{outcome="refused",part="webhooks"} 1',
        'webhooks_attempts_total{outcome="connection",part="webhooks"} 1',
        'webhooks_attempts_total{outcome="lease_expired",part="webhooks"} 0',
      ]),
    ),
  );
});
