import { visible } from "./visible.js";

test.each([
  ["a\u202egpj.exe", "a⟨U+202E⟩gpj.exe"],
  ["\u061c", "⟨U+061C⟩"],
  ["\u200bsale\ufeff", "⟨U+200B⟩sale⟨U+FEFF⟩"],
  ["שלום, Grüße\n", "שלום, Grüße\n"],
])("%j is shown as %j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});
