import { failureIn } from "@shipping/kit/errors";
import { newCaller } from "@shipping/kit/testing/writes";
import { created, eventOf, isPreTransit, isVoided, trackingUnderTest, voided } from "./testing/tracking-under-test.js";

let tracking: Awaited<ReturnType<typeof trackingUnderTest>>;
beforeAll(async () => {
  tracking = await trackingUnderTest();
});
afterAll(() => tracking.end());

describe("applyLabelEvent", () => {
  test("label.created makes the record, label.voided voids it", async () => {
    const caller = newCaller();
    await tracking.apply(caller, "TEST1", created);
    expect(await tracking.read(caller, "TEST1")).toEqual(isPreTransit);
    await tracking.apply(caller, "TEST1", voided);
    expect(await tracking.read(caller, "TEST1")).toEqual(isVoided);
  });

  test("each event may come again, and never moves the record back", async () => {
    const caller = newCaller();
    for (const event of [created, created, voided, voided, created]) await tracking.apply(caller, "TEST1", event);
    expect(await tracking.read(caller, "TEST1")).toEqual(isVoided);
  });

  test("label.voided that comes first makes the record, and a late label.created has no effect", async () => {
    const caller = newCaller();
    await tracking.apply(caller, "TEST1", voided);
    expect(await tracking.read(caller, "TEST1")).toEqual(isVoided);
    await tracking.apply(caller, "TEST1", created);
    expect(await tracking.read(caller, "TEST1")).toEqual(isVoided);
  });

  test("voided counts although its time is before the creation's: clocks differ, and updated_at never goes back", async () => {
    const caller = newCaller();
    await tracking.apply(caller, "TEST1", created);
    await tracking.apply(caller, "TEST1", { ...voided, at: "2026-11-21T09:00:00.000Z" });
    expect(await tracking.read(caller, "TEST1")).toEqual({ ...isVoided, updatedAt: created.at });
  });

  test("voided that comes first from a clock behind stays, although the creation has a later time", async () => {
    const caller = newCaller();
    await tracking.apply(caller, "TEST1", { ...voided, at: "2026-11-21T09:00:00.000Z" });
    await tracking.apply(caller, "TEST1", created);
    expect(await tracking.read(caller, "TEST1")).toEqual({ ...isVoided, updatedAt: created.at });
  });

  test("both at the same instant end voided", async () => {
    const caller = newCaller();
    const numbers = Array.from({ length: 20 }, (_, index) => `TEST${index}`);
    await Promise.all(
      numbers.flatMap((number) => [created, voided].map((event) => tracking.apply(caller, number, event))),
    );
    const ends = await Promise.all(numbers.map((number) => tracking.read(caller, number)));
    expect(ends).toEqual(numbers.map(() => isVoided));
  });

  test("events of several accounts in one call make each its caller's record", async () => {
    const callers = [newCaller(), newCaller()];
    await tracking.client.applyLabelEvents({ events: callers.map((caller) => eventOf(caller, "TEST1", created)) });
    const ends = await Promise.all(callers.map((caller) => tracking.read(caller, "TEST1")));
    expect(ends).toEqual([isPreTransit, isPreTransit]);
  });

  test("an event that is no label event is refused", async () => {
    const refused = tracking.apply(newCaller(), "TEST1", { ...created, type: "order.created" }).catch(failureIn);
    expect(await refused).toMatchObject({ code: "internal_error" });
  });
});
