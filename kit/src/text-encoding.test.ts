import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import "./text-encoding.js";

test.each(["", "plain", "Zürich 東京 🚚", "x".repeat(100_000), "\u0000"])("a message carries the text %j", (type) => {
  const bytes = toBinary(EventSchema, create(EventSchema, { id: "evt_1", type, accountId: "acc_1" }));
  expect(fromBinary(EventSchema, bytes)).toMatchObject({ id: "evt_1", type, accountId: "acc_1" });
});

test("half of a pair of surrogates becomes the mark of what cannot be encoded", () => {
  const bytes = toBinary(EventSchema, create(EventSchema, { type: "a\ud83d" }));
  expect(fromBinary(EventSchema, bytes).type).toBe("a\ufffd");
});
