import { failureIn } from "@shipping/kit/errors";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { newCaller } from "@shipping/kit/testing/writes";
import { created, eventOf, isPreTransit, isVoided, trackingUnderTest, voided } from "./testing/tracking-under-test.js";

const tracking = forAllTests(trackingUnderTest);

describe("applyLabelEvent", () => {
  // Clocks differ, so a void may have an earlier time than the creation. `updated_at` never goes back.
  const voidedEarly = { ...voided, at: "2026-11-21T09:00:00.000Z" };
  const isVoidedEarly = { ...isVoided, updatedAt: created.at };

  test.each([
    ["label.created makes the record", [created], isPreTransit],
    ["label.voided voids it", [created, voided], isVoided],
    ["each may come again, and never moves the record back", [created, created, voided, voided, created], isVoided],
    ["label.voided that comes first makes the record", [voided], isVoided],
    ["a late label.created has no effect", [voided, created], isVoided],
    ["label.voided counts although its time is before the creation's", [created, voidedEarly], isVoidedEarly],
    ["a void from a clock behind stays, although the creation has a later time", [voidedEarly, created], isVoidedEarly],
  ])("%s", async (_what, events, record) => {
    const caller = newCaller();
    for (const event of events) await tracking.apply(caller, "TEST1", event);
    expect(await tracking.read(caller, "TEST1")).toEqual(record);
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

describe("getTracking", () => {
  test("404 for a number that is missing, another account's, or the other environment's", async () => {
    const caller = newCaller();
    await tracking.apply(caller, "TEST1", created);
    for (const [who, trackingNumber] of [
      [caller, "TEST2"],
      [newCaller(), "TEST1"],
      [{ ...caller, environment: "live" as const }, "TEST1"],
    ] as const) {
      const refused = tracking.client.getTracking({ caller: who, trackingNumber }).catch(failureIn);
      expect(await refused).toMatchObject({
        code: "not_found",
        message: "No such tracking number. Send that of a label in the account and environment of your API key.",
      });
    }
  });

  test("one number in two accounts is two records", async () => {
    const [one, two] = [newCaller(), newCaller()];
    await tracking.apply(one, "TEST1", created);
    await tracking.apply(two, "TEST1", voided);
    expect(await tracking.read(one, "TEST1")).toEqual(isPreTransit);
    expect(await tracking.read(two, "TEST1")).toEqual(isVoided);
  });
});
