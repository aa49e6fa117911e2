import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import "./protocol.js";

test.each(["", "plain", "Zürich 東京 🚚", "x".repeat(100_000), "\u0000"])("a message carries the text %j", (type) => {
  const bytes = toBinary(EventSchema, create(EventSchema, { id: "evt_1", type, accountId: "acc_1" }));
  expect(fromBinary(EventSchema, bytes)).toMatchObject({ id: "evt_1", type, accountId: "acc_1" });
});

test("an unpaired surrogate becomes the replacement character", () => {
  const bytes = toBinary(EventSchema, create(EventSchema, { type: "a\ud83d" }));
  expect(fromBinary(EventSchema, bytes).type).toBe("a\ufffd");
});

test.each(["\ufeff", "\ufeffBerlin", "\ufeff\ufeff", "a\ufeff", "\ufffe"])(
  "U+FEFF is a character like any other: %j",
  (type) => {
    const bytes = toBinary(EventSchema, create(EventSchema, { type }));
    expect(fromBinary(EventSchema, bytes).type).toBe(type);
  },
);

test("a text that is not UTF-8 is refused in proto3 messages, and repaired in others", () => {
  const bytes = Uint8Array.of(0x12, 2, 0xc3, 0x28);
  expect(() => fromBinary(EventSchema, bytes)).toThrow();
  expect(getTextEncoding().decodeUtf8(bytes.subarray(2))).toBe("\ufffd(");
});
