import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import { findJsonFault, parseJsonBody } from "./json-body.js";
import { NONE_LOST } from "./lost-numbers.js";

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("a JSON body", () => {
  test.each([[[0xff]], [[0x22, 0xc3, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]]])(
    "400 for the bytes %j: not UTF-8",
    (bytes) => {
      const message = "The body is not valid UTF-8. Encode it as UTF-8.";
      expect(() => parseJsonBody(Buffer.from(bytes))).toThrow(
        expect.objectContaining({ code: "invalid_json", message }),
      );
    },
  );

  test.each([
    ["", "The body is empty. Send the empty object {}."],
    [" \r\n", "The body is empty. Send the empty object {}."],
    ["\ufeff{}", "The body begins with a byte order mark. Remove it."],
    ['{"a": 1', "The body is not valid JSON: it ends before it is complete."],
    [
      '{"a":\n  1,5}',
      "The body is not valid JSON: unexpected character at line 2, column 5. Write decimals with a point, such as 1.5.",
    ],
    [
      '{"a":[1,5],}',
      "The body is not valid JSON: unexpected character at line 1, column 12. Remove the comma before it.",
    ],
    ['{"a":1,\n}', "The body is not valid JSON: unexpected character at line 2, column 1. Remove the comma before it."],
    ["[1,2 3]", "The body is not valid JSON: unexpected character at line 1, column 6."],
    ["{},", "The body is not valid JSON: unexpected character at line 1, column 3."],
    [
      "{'a':1}",
      'The body is not valid JSON: unexpected character at line 1, column 2. Use straight double quotes, as in "name".',
    ],
    [
      '{"a":NaN}',
      "The body is not valid JSON: unexpected character at line 1, column 6. JSON has only finite numbers.",
    ],
    ['{"a":1}\n{}', "The body is not valid JSON: unexpected character at line 2, column 1."],
    [deep(33).replace("[]", "[,]"), "The body is not valid JSON: unexpected character at line 1, column 34."],
  ])("400 for %j says where, and what to send", (text, message) => {
    expect(() => parseJsonBody(Buffer.from(text), "the empty object {}")).toThrow(expect.objectContaining({ message }));
  });

  test("an object is what to send, unless something else is said to be", () => {
    expect(() => parse("")).toThrow("The body is empty. Send a JSON object.");
  });

  test("of duplicate members the last one counts", () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, lost: NONE_LOST });
  });

  test("32 levels are taken, 33 are a 422 of the path body", () => {
    expect(parse(deep(32))).toBeDefined();
    expect(parse(`[${Array(40).fill('["a"]')}]`)).toBeDefined();
    for (const text of [deep(33), `["a",${deep(32)}]`])
      expect(() => parse(text)).toThrow(
        expect.objectContaining({
          code: "invalid_request",
          fields: [{ path: "body", message: "must not be nested more than 32 levels deep" }],
        }),
      );
  });

  test("as many levels as fit into a body do not overflow the stack, and invalid JSON stays a 400", () => {
    expect(() => parse(deep(32_768))).toThrow(expect.objectContaining({ code: "invalid_request" }));
    expect(() => parse("[".repeat(65_536))).toThrow(expect.objectContaining({ code: "invalid_json" }));
  });

  test("says where its numbers are not as sent, unless it is refused as a whole", () => {
    expect(parse('{"a":[0,1e400]}')).toEqual({
      value: { a: [0, Number.POSITIVE_INFINITY] },
      lost: { places: [["a", 1]], more: 0 },
    });
    expect(() => parse(deep(33).replace("[]", "[1e400]"))).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });

  test("brackets in strings are no levels", () => {
    const text = JSON.stringify({ a: `${"[".repeat(40)}\\"{`, "{{": [`\\${"{".repeat(40)}`] });
    expect(parse(text)).toEqual({ value: JSON.parse(text), lost: NONE_LOST });
  });
});

const isJson = (text: string) => findJsonFault(text) === undefined;

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each(["[", "{", '[{"a":'])(
  "as many %j as fit into a body are not JSON, and are once they are closed",
  (opening) => {
    const count = Math.floor(65_536 / opening.length);
    expect(isJson(opening.repeat(count))).toBe(false);
    const closing = [...opening]
      .toReversed()
      .join("")
      .replaceAll(/[^[{]/g, "")
      .replaceAll("[", "]")
      .replaceAll("{", "}");
    const inner = opening.endsWith(":") ? "0" : "";
    const text = `${opening === "{" ? "" : opening.repeat(10_000)}${inner}${opening === "{" ? "{}" : closing.repeat(10_000)}`;
    expect([isJson(text), parses(text)]).toEqual([true, true]);
  },
);

test.each(["-0.5e+7", "01", "1.", '"a\tb"', '"\\u00g9"', "nullnull", "[1,]", "{1:1}", "[1}", "\u00a0[]", ""])(
  "%j is JSON if and only if JSON.parse takes it",
  (text) => {
    expect(isJson(text)).toBe(parses(text));
  },
);

test("says of any text what JSON.parse says: of JSON, of JSON with a piece gone or twice, of pieces of JSON", () => {
  const piece = fc.constantFrom(
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    '"a"',
    "1",
    "-1.5e3",
    "true",
    "null",
    " ",
    "\n",
    "\\",
    '"',
  );
  const broken = fc.tuple(fc.json(), fc.nat(), fc.nat()).map(([text, at, length]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + text.slice(from + (length % 3)) + text.slice(from, from + (length % 2));
  });
  const texts = fc.oneof(
    fc.json(),
    broken,
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => expect(isJson(text)).toBe(parses(text))),
    { numRuns: runs(200) },
  );
});
