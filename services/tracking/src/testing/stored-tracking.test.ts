import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { newCaller } from "@shipping/kit/testing/writes";
import { storedTracking } from "./stored-tracking.js";
import { created, trackingUnderTest } from "./tracking-under-test.js";

// Tests of the whole platform read tracking's table through this function, so this file fails if a change makes it wrong.

const tracking = forAllTests(trackingUnderTest);

test("tracking records are found by their accounts, with their statuses", async () => {
  const caller = newCaller();
  await tracking.apply(caller, "TEST1", created);
  await tracking.apply(newCaller(), "TEST2", created);
  expect(await storedTracking(tracking.db, [caller.accountId])).toMatchObject([
    { trackingNumber: "TEST1", status: "pre_transit" },
  ]);
});
