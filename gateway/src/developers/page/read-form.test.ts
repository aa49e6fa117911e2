import { parseForm } from "./read-form.js";

test("a form's fields are in order, repeated ones with all their values", () => {
  expect([...parseForm("a=1&b=x+y%20z&a=2&c&=d&&a=3=4")]).toEqual([
    ["a", ["1", "2", "3=4"]],
    ["b", ["x y z"]],
    ["c", [""]],
    ["", ["d"]],
  ]);
});

test("100 values are taken, more are refused before they are looked at", () => {
  expect(parseForm("a=%41&".repeat(99)).get("a")).toHaveLength(99);
  expect(parseForm(`${"a&".repeat(99)}a`).get("a")).toHaveLength(100);
  for (const text of [`${"a&".repeat(100)}a`, "&".repeat(65_536), "%zz&".repeat(16_000)]) {
    expect(() => parseForm(text)).toThrow(
      expect.objectContaining({ fields: [{ path: "form", message: "must have at most 100 values" }] }),
    );
  }
});
