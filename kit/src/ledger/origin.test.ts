import { newClaim } from "../testing/writes.js";
import { originIn, originText } from "./origin.js";

const event = { id: "evt_a" };

test.each(["key_a", "ada@example.com", '"ada byron"@example.com', ""])(
  "what is kept of %j is what is read",
  (requestedBy) => {
    const text = originText({ ...newClaim(), requestedBy, requestId: "req_a" }, event);
    expect(originIn(text)).toMatchObject({ eventId: "evt_a", requestId: "req_a", requestedBy });
  },
);

test("a claim that does not say who made it, and a row without an origin, leave the fields empty", () => {
  expect(originIn(originText(newClaim(), event))).toMatchObject({ eventId: "evt_a", requestId: "", requestedBy: "" });
  expect(originIn(null)).toMatchObject({ eventId: "", requestId: "", requestedBy: "" });
});
