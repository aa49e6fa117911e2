import { canonicalAddress } from "./address.js";

test.each([
  ["upper case and white space", " Ada@Example.COM ", "ada@example.com"],
  ["a domain in Unicode", "ada@münchen.example", "ada@xn--mnchen-3ya.example"],
  ["the same, decomposed", "ada@mu\u0308nchen.example", "ada@xn--mnchen-3ya.example"],
  ["a local part, decomposed", "jose\u0301@example.com", "jos\u00e9@example.com"],
  ["a trailing dot", "ada@example.com.", "ada@example.com"],
  ["an ideographic full stop", "ada@example。com", "ada@example.com"],
  ["full-width letters", "ada@ｅxample．com", "ada@example.com"],
])("one mailbox has one spelling: %s", (_case, typed, canonical) => {
  expect(canonicalAddress(typed)).toBe(canonical);
  expect(canonicalAddress(canonical)).toBe(canonical);
});

test.each([
  "ada@evil.example/x",
  "ada@evil.example?x",
  "ada@a%62c.example",
  "ada@a..example",
  "ada@.",
  "ada@xn--zz.example",
  "\u3164@a.example",
  "ada\ufe0f\u2800@a.example",
])("%s is no address", (typed) => {
  expect(canonicalAddress(typed)).toBeUndefined();
});
