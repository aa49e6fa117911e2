import { isBlank, visible } from "./text.js";

test("what is blank is what Unicode calls White_Space, and nothing else", () => {
  const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
  expect(all.filter(isBlank)).toEqual(all.filter((character) => /\p{White_Space}/u.test(character)));
  expect(["", " \u0085\n"].map(isBlank)).toEqual([true, true]);
  expect([" \ufeff", "\u200b", "a "].map(isBlank)).toEqual([false, false, false]);
});

test.each([
  ["a\u202egpj.exe", "a⟨U+202E⟩gpj.exe"],
  ["\u061c", "⟨U+061C⟩"],
  ["\u200bsale\ufeff", "⟨U+200B⟩sale⟨U+FEFF⟩"],
  ["שלום, Grüße\n", "שלום, Grüße\n"],
])("%j is shown as %j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});
