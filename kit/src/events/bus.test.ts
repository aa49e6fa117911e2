import { silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { thingCreated } from "../testing/outbox-testbed.js";
import { samplesIn } from "../testing/samples.js";
import { BusOutage, createLocalBus, measureBus } from "./bus.js";

test("the connection of a bus is measured", async () => {
  const metrics = createMetrics({ part: "test", log: silentLog(), cacheMs: 0 });
  const bus = createLocalBus();
  measureBus(metrics, bus);
  const before = await metrics.render();
  await bus.close();
  expect([before, await metrics.render()].map((text) => samplesIn(text)['bus_connected{part="test"}'])).toEqual([1, 0]);
});

test.each(["stop", "close"] as const)(
  "%s of a bus in one process waits for events in progress, and then no events are accepted",
  async (how) => {
    const local = createLocalBus();
    let finish = () => {};
    const onEvent = () => new Promise<void>((resolve) => (finish = resolve));
    const subscription = await local.subscribe({ onEvent });
    const published = local.publish(thingCreated());
    let ended = false;
    const ending = (how === "stop" ? subscription.stop() : local.close()).then(() => (ended = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    finish();
    await Promise.all([published, ending]);
    await expect(local.publish(thingCreated())).rejects.toThrow(BusOutage);
    expect(local.connected()).toBe(how === "stop");
  },
);
