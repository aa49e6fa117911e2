import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { remoteUnderTest } from "../testing/remote-under-test.js";
import { measureBookings } from "./measure-bookings.js";

let carrier: Awaited<ReturnType<typeof carrierUnderTest>>;
beforeAll(async () => {
  carrier = await carrierUnderTest();
});
afterAll(() => carrier.end());

async function measured(): Promise<Record<string, number>> {
  const metrics = createMetrics({ part: "carrier", log: silentLog(), cacheMs: 0 });
  measureBookings(metrics, carrier.deps);
  const lines = [...(await metrics.render()).matchAll(/^(carrier_\w+)\{.*\} (\S+)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
}

test("bookings are counted from the first doubt until they are settled, and are late once the worker has failed", async () => {
  const remote = remoteUnderTest(carrier);
  const lost = new Error("The connection was lost.");
  await remote.newLabel();
  expect(await measured()).toEqual({
    carrier_bookings_unsettled: 0,
    carrier_bookings_late: 0,
    carrier_oldest_unsettled_seconds: 0,
  });
  remote.expect("book", { after: lost });
  remote.expect("find", { before: lost }, { before: lost });
  await expect(remote.label(remote.newShipment())).rejects.toThrow("The outcome of a booking is unknown.");
  expect(await measured()).toMatchObject({ carrier_bookings_unsettled: 1, carrier_bookings_late: 0 });
  await remote.settle(2);
  const { carrier_oldest_unsettled_seconds: age, ...counts } = await measured();
  expect(counts).toEqual({ carrier_bookings_unsettled: 1, carrier_bookings_late: 1 });
  expect(age).toBeGreaterThan(0);
  await remote.settle(60);
  await remote.settle(240);
  expect(await measured()).toMatchObject({ carrier_bookings_unsettled: 0, carrier_bookings_late: 0 });
});
