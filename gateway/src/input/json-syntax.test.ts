import fc from "fast-check";
import { isJson } from "./json-syntax.js";

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

test.each([
  "0",
  "-0.5e+7",
  "01",
  "1.",
  ".5",
  "+1",
  "-",
  "1e",
  '"a\tb"',
  '"\\x"',
  '"\\u00e9"',
  '"\\u00g9"',
  '"\\',
  '"',
  "tru",
  "nullnull",
  "[1,]",
  "[,1]",
  "[1 2]",
  "[]]",
  "{}{}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  "{1:1}",
  '{"a":1]',
  "[1}",
  " \t\r\n[ ] \n",
  "\u00a0[]",
  "\ufeff[]",
  "",
  " ",
  ",",
  ":",
])("%j is JSON if and only if JSON.parse takes it", (text) => {
  expect(isJson(text)).toBe(parses(text));
});

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
    { numRuns: 2_000 },
  );
});
