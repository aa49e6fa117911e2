import { COMMANDING, printable } from "./printable.js";

describe("a text for a terminal", () => {
  test.each([
    ["escape sequences", "\u001b]52;c;ZXZpbA==\u0007", "\\u001b]52;c;ZXZpbA==\\u0007"],
    ["their one-character forms", "\u009b31m\u007f", "\\u009b31m\\u007f"],
    ["a line that is written over", "Acme\r\tEvil\b\0", "Acme\\u000d\\u0009Evil\\u0008\\u0000"],
    [
      "another direction",
      "\u202egnp\u202c \u2066x\u2069 \u200e\u200f\u061c",
      "\\u202egnp\\u202c \\u2066x\\u2069 \\u200e\\u200f\\u061c",
    ],
  ])("shows %s instead of obeying", (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(text.replace(COMMANDING, "")).not.toMatch(COMMANDING);
  });

  test("is otherwise as it was: lines, letters of every script, symbols of several characters", () => {
    const text = "Rød & Søn\nשלום 你好 👩‍🚀 ⟨U+202E⟩ \\u001b\n";
    expect(printable(text)).toBe(text);
  });

  test("keeps the value of JSON", () => {
    const value = { name: "a\u009b\u007f\u202e\n\u001b" };
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value);
  });
});
