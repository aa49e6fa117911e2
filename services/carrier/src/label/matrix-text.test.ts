import { create } from "@bufbuild/protobuf";
import { AddressSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { matrixText } from "./matrix-text.js";

describe("matrixText", () => {
  test.each([
    ["51147", "DE", "TEST1|DE|51147"],
    ["sw1a  1aa", "GB", "TEST1|GB|SW1A 1AA"],
    ["１００-８１１１", "JP", "TEST1|JP|100-8111"],
    ["123456789012", "QQ", "TEST1|QQ|123456789012"],
    ["1234567890123", "QQ", "TEST1|QQ|"],
    ["1|2", "QQ", "TEST1|QQ|"],
    ["\u200b", "QQ", "TEST1|QQ|"],
  ])("postal code %j in %s: %j", (postalCode, country, text) => {
    expect(matrixText("TEST1", create(AddressSchema, { postalCode, country }))).toBe(text);
  });
});
