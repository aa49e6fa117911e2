import { failureIn } from "@shipping/kit/errors";
import { jsonIn, newCaller } from "@shipping/kit/testing/writes";
import fc from "fast-check";
import { created, trackingUnderTest, voided } from "./testing/tracking-under-test.js";

let tracking: Awaited<ReturnType<typeof trackingUnderTest>>;
beforeAll(async () => {
  tracking = await trackingUnderTest();
});
afterAll(() => tracking.end());

type Caller = ReturnType<typeof newCaller>;

const [collected, onItsWay, delivered] = [
  { id: "1", status: "in_transit", at: "2026-11-22T08:00:00.000Z", message: "Collected" },
  { id: "2", status: "out_for_delivery", at: "2026-11-23T08:00:00.000Z", message: "On its way" },
  { id: "3", status: "delivered", at: "2026-11-23T10:00:00.000Z", message: "Delivered" },
] as const;

const scanned = (caller: Caller, ...scans: object[]) =>
  tracking.client.applyScans({ caller, trackingNumber: "SIM1", scans: scans as (typeof collected)[] });

async function read(caller: Caller) {
  const { status, updated_at, events } = jsonIn(await tracking.client.getTracking({ caller, trackingNumber: "SIM1" }));
  return { status, updatedAt: updated_at, events: events.map(({ message }: { message: string }) => message) };
}

async function newRecord() {
  const caller = newCaller();
  await tracking.apply(caller, "SIM1", created);
  return caller;
}

describe("applyScans", () => {
  test("adds the scans to the record, whose status is that of the latest", async () => {
    const caller = await newRecord();
    await scanned(caller, onItsWay, collected);
    expect(await read(caller)).toEqual({
      status: "out_for_delivery",
      updatedAt: onItsWay.at,
      events: ["Collected", "On its way"],
    });
  });

  test("in any order, in any batches and however often, the end is the same", async () => {
    const batches = fc.array(fc.subarray([collected, onItsWay, delivered], { minLength: 1 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(batches, async (some) => {
        const caller = await newRecord();
        for (const batch of [...some, [delivered], [onItsWay], [collected]]) await scanned(caller, ...batch);
        expect(await read(caller)).toEqual({
          status: "delivered",
          updatedAt: delivered.at,
          events: ["Collected", "On its way", "Delivered"],
        });
      }),
      { numRuns: 20 },
    );
  });

  test("of scans with the same time, the one that is further along gives the status, in any order and in any batches", async () => {
    const together = [collected, onItsWay, delivered].map((scan) => ({ ...scan, at: delivered.at }));
    const [first, second, third] = together;
    for (const batches of [[[third, first, second]], [[third], [second], [first]], [[first], [third, second]]]) {
      const caller = await newRecord();
      for (const batch of batches) await scanned(caller, ...(batch as object[]));
      expect((await read(caller)).status).toBe("delivered");
    }
    // The IDs are the carrier's, and say nothing about the order.
    const caller = await newRecord();
    await scanned(caller, { ...together[0], id: "9" }, { ...together[2], id: "1" });
    expect((await read(caller)).status).toBe("delivered");
  });

  test("in calls at the same instant, the latest scan gives the status, too", async () => {
    const caller = await newRecord();
    await Promise.all([collected, onItsWay, delivered, collected].map((scan) => scanned(caller, scan)));
    expect((await read(caller)).status).toBe("delivered");
  });

  test("a voided record stays voided, and a label.created that comes again changes nothing", async () => {
    const caller = await newRecord();
    await scanned(caller, collected);
    await tracking.apply(caller, "SIM1", created);
    expect((await read(caller)).status).toBe("in_transit");
    await tracking.apply(caller, "SIM1", voided);
    await scanned(caller, delivered);
    expect((await read(caller)).status).toBe("voided");
  });

  test("404 for a number that is missing or another account's, whose record stays as it is", async () => {
    const caller = await newRecord();
    const refused = await scanned(newCaller(), collected).catch(failureIn);
    expect(refused).toMatchObject({ code: "not_found" });
    expect((await read(caller)).events).toEqual([]);
  });

  test.each([
    ["none at all", []],
    ["one of a status that no carrier has", [{ ...collected, status: "voided" }]],
    ["one without a time", [{ ...collected, at: "soon" }]],
    ["one without an ID", [{ ...collected, id: "" }]],
    ["more than a hundred", Array.from({ length: 101 }, (_, id) => ({ ...collected, id: `${id}` }))],
  ])("%s is refused", async (_, scans) => {
    const refused = await scanned(await newRecord(), ...scans).catch(failureIn);
    expect(refused).toMatchObject({ code: "internal_error" });
  });
});
