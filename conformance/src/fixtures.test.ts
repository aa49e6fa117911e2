import { inputsFor } from "./fixtures.js";

test("idempotency keys are the same in all checks, and cannot be worked out from the name of the run, which is in the records", () => {
  const [one, other] = [inputsFor("run"), inputsFor("run")];
  expect(one.keyOf("subscription")).toBe(other.keyOf("subscription"));
  expect(one.keyOf("subscription")).toMatch(/^run-subscription-[0-9a-f-]{36}$/);
});
