import { secretTexts } from "@shipping/kit/testing/secret-texts";
import fc from "fast-check";
import { toLogRow } from "./logged-request.js";

const ended = {
  requestId: "req_1",
  method: "GET",
  status: 404,
  aborted: false,
  ms: 1,
  replayed: false,
  source: "127.0.0.1",
};

describe("a row of the request log", () => {
  test("hides every key and secret, whatever stands beside it, in every text of the client", () => {
    fc.assert(
      fc.property(secretTexts, ({ text, hidden }) => {
        const fields = [{ path: text, message: text }];
        const row = toLogRow({ ...ended, path: `/${text}`, userAgent: text, idempotencyKey: text, fields }, 0);
        expect(JSON.stringify(row)).not.toContain(hidden);
      }),
    );
  });

  test("hides a key that is one only without the control characters that are stripped", () => {
    const row = toLogRow(
      { ...ended, path: "/service_\u200elive_0123456789", userAgent: "service_live_01\u202e23456789" },
      0,
    );
    expect([row.path, row.userAgent]).toEqual(["/service_live_[redacted]", "service_live_[redacted]"]);
  });
});
