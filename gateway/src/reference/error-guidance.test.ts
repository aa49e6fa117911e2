import { errors } from "@shipping/proto/errors";
import { errorGuidance } from "./error-guidance.js";

test("says what to do about every error, in whole sentences", () => {
  expect(Object.keys(errorGuidance).sort()).toEqual(Object.keys(errors).sort());
  for (const [code, text] of Object.entries(errorGuidance))
    expect([code, text]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
});

test("tells to wait exactly where the document's answer has Retry-After", () => {
  const told = Object.entries(errorGuidance).flatMap(([code, text]) => (text.includes("`Retry-After`") ? code : []));
  expect(told).toEqual(["idempotency_in_progress", "rate_limited", "service_unavailable"]);
});

test("tells to repeat a write with its key, since an answer may have got lost", () => {
  for (const code of ["idempotency_in_progress", "internal_error", "service_unavailable"] as const)
    expect(errorGuidance[code]).toContain("the same key");
});
