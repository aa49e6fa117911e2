import { parseForm } from "./read-form.js";

const list = { maxLength: 10, most: 100 };
const refusal = (path: string, message: string) => expect.objectContaining({ fields: [{ path, message }] });

test("a form's fields are in order, repeated ones with all their values", () => {
  expect([...parseForm("a=1&b=x+y%20z&a=2&c&=d&&a=3=4", { a: list, b: list, c: list, "": list })]).toEqual([
    ["a", ["1", "2", "3=4"]],
    ["b", ["x y z"]],
    ["c", [""]],
    ["", ["d"]],
  ]);
});

test("100 values are taken, more are refused before they are looked at", () => {
  expect(parseForm("a=%41&".repeat(99), { a: list }).get("a")).toHaveLength(99);
  expect(parseForm(`${"a&".repeat(99)}a`, { a: list }).get("a")).toHaveLength(100);
  for (const text of [`${"a&".repeat(100)}a`, "&".repeat(65_536), "%zz&".repeat(16_000)]) {
    expect(() => parseForm(text, { a: list })).toThrow(refusal("form", "must have at most 100 values"));
  }
});

test.each([
  ["b=1", "b", "is not a known field: remove it"],
  ["constructor=1", "constructor", "is not a known field: remove it"],
  ["__proto__=1", "__proto__", "is not a known field: remove it"],
  [`${"b".repeat(60_000)}=1`, "b".repeat(50), "is not a known field: remove it"],
  ["one=1&one=2", "one", "must not be repeated: send it once"],
  ["few=1&few=2&few=3", "few", "must have at most 2 values"],
  ["one=12345", "one", "must have at most 4 characters"],
  ["few=1&few=12345", "few", "must have at most 4 characters"],
  ["one=%F0%9F%98%80%F0%9F%98%80a", "one", "must have at most 4 characters"],
])("%.20s: %.20s %s", (text, path, message) => {
  const fields = { one: { maxLength: 4 }, few: { maxLength: 4, most: 2 } };
  expect(() => parseForm(text, fields)).toThrow(refusal(path, message));
});

test("values are as long as browsers count them: a character beyond the BMP is two", () => {
  expect(parseForm("a=%F0%9F%98%80%E2%82%AC1", { a: { maxLength: 4 } }).get("a")).toEqual(["😀€1"]);
});
