import { runs } from "@shipping/kit/testing/runs";
import bwipjs from "bwip-js";
import fc from "fast-check";
import { code128 } from "./code-128.js";

function asOthers(text: string): string {
  // The named export `raw` of bwip-js 4.11 is another function than `raw` of its default export.
  const [symbol] = bwipjs.raw({ bcid: "code128", text });
  return symbol && "sbs" in symbol ? symbol.sbs.join("") : "";
}

test.each([
  ...["TEST00000000000000000000", "TEST12345678901234567890", "1Z999AA10123456784", "A", "7", "42", "4711", "47110"],
  ...["A1234B", "A12345B", "12A", "1234A", "12345A", "AB12CD123456", "~ {}|", " "],
])("%j is encoded as others encode it", (text) => {
  expect(code128(text)).toBe(asOthers(text));
});

test("any printable ASCII is encoded as others encode it", () => {
  const character = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(..."0123456789") },
    { weight: 1, arbitrary: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)) },
  );
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1, maxLength: 40 }), (text) => {
      expect(code128(text)).toBe(asOthers(text));
    }),
    { numRuns: runs(200) },
  );
});

test.each(["", "ü", "a\n", "\u007f"])("%j cannot be encoded", (text) => {
  expect(() => code128(text)).toThrow("cannot hold");
});
