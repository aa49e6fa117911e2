import fc from "fast-check";
import { metadataFault } from "./schemas.js";

function nested(levels: number): object {
  return levels === 1 ? {} : { in: nested(levels - 1) };
}

/** An object that JSON.stringify writes with exactly this many characters. */
function ofLength(length: number, filler = "x"): object {
  const empty = JSON.stringify({ k: "" }).length;
  return { k: filler.repeat(length - empty) };
}

describe("metadata", () => {
  test.each([[[]], ["x"], [5], [true]])("refuses %j, which is no object", (value) => {
    expect(metadataFault(value)).toBe("must be a JSON object");
  });

  test("refuses an object that was encoded twice", () => {
    expect(metadataFault('{"a":1}')).toBe("must be a JSON object, not a string with JSON in it: encode it once");
  });

  test("holds 4096 characters when serialized, and not one more", () => {
    expect(metadataFault(ofLength(4096))).toBeUndefined();
    expect(metadataFault(ofLength(4097))).toMatch("4096 characters");
  });

  test("counts an astral character once, although it is two UTF-16 units", () => {
    expect(metadataFault(ofLength(4096, "😀"))).toBeUndefined();
    expect(metadataFault(ofLength(4097, "😀"))).toMatch("4096 characters");
  });

  test("counts an escape as JSON.stringify writes it", () => {
    const value = { k: "\n".repeat((4096 - 8) / 2) };
    expect(JSON.stringify(value)).toHaveLength(4096);
    expect(metadataFault(value)).toBeUndefined();
    expect(metadataFault({ kk: value.k })).toMatch("4096 characters");
  });

  test("goes 16 levels deep, arrays counted", () => {
    expect(metadataFault(nested(16))).toBeUndefined();
    expect(metadataFault(nested(17))).toMatch("16 levels");
    expect(metadataFault({ in: [nested(14)] })).toBeUndefined();
    expect(metadataFault({ in: [nested(15)] })).toMatch("16 levels");
  });

  test.each(["\u0000", "\u001f", "\u000b", "\ud800", "x\udc00"])(
    "refuses %j in names and in values, at any depth",
    (text) => {
      expect(metadataFault({ a: [{ b: text }] })).toMatch("control characters");
      expect(metadataFault({ a: [{ [text]: 1 }] })).toMatch("control characters");
    },
  );

  test("takes tab, line breaks, and names that JavaScript knows", () => {
    expect(
      metadataFault(JSON.parse('{"__proto__":{"a":1},"constructor":"\\t\\r\\n","toString":null}')),
    ).toBeUndefined();
  });

  test("looks into a member named __proto__", () => {
    expect(metadataFault(JSON.parse('{"__proto__":{"a":"\\u0000"}}'))).toMatch("control characters");
  });

  test("what it takes comes back deep-equal from its JSON text", () => {
    const anyObject = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary", maxDepth: 5 }));
    fc.assert(
      fc.property(anyObject, (sent) => {
        const parsed = JSON.parse(JSON.stringify(sent));
        if (metadataFault(parsed)) return;
        expect(JSON.parse(JSON.stringify(parsed))).toEqual(parsed);
      }),
    );
  });
});
