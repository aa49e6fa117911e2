import { silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { samplesIn } from "../testing/samples.js";
import { measureBus } from "./bus.js";

test("the connection of a bus is measured", async () => {
  const metrics = createMetrics({ part: "test", log: silentLog(), cacheMs: 0 });
  let connected = true;
  measureBus(metrics, { connected: () => connected });
  expect(samplesIn(await metrics.render())).toEqual({ 'bus_connected{part="test"}': 1 });
  connected = false;
  expect(samplesIn(await metrics.render())).toEqual({ 'bus_connected{part="test"}': 0 });
});
