import { failureIn } from "@shipping/kit/errors";
import { newCaller } from "@shipping/kit/testing/writes";
import { created, isPreTransit, isVoided, trackingUnderTest, voided } from "./testing/tracking-under-test.js";

let tracking: Awaited<ReturnType<typeof trackingUnderTest>>;
beforeAll(async () => {
  tracking = await trackingUnderTest();
});
afterAll(() => tracking.end());

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
