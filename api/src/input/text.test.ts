import { isBlank } from "@shipping/kit/blank";
import { CLEAN_PATTERN, FILLED_PATTERN, isClean, urlForm, visible } from "./text.js";

test("the patterns of the OpenAPI document take what the API takes", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const texts = ascii.flatMap((one) => [one, `a${one}`, `${one}a`, ` ${one}`]).concat("", "é");
  const taken = (pattern: string) => texts.filter((text) => new RegExp(pattern).test(text));
  expect(taken(CLEAN_PATTERN)).toEqual(texts.filter(isClean));
  expect(taken(FILLED_PATTERN)).toEqual(texts.filter((text) => isClean(text) && !isBlank(text)));
});

test.each([
  ["a\u202egpj.exe", "a⟨U+202E⟩gpj.exe"],
  ["\u061c", "⟨U+061C⟩"],
  ["\u200bsale\ufeff", "⟨U+200B⟩sale⟨U+FEFF⟩"],
  ["\u3164\u2800\u00ad\u{e0041}", "⟨U+3164⟩⟨U+2800⟩⟨U+00AD⟩⟨U+E0041⟩"],
  ["\ufe0f \ufe0f\u200b\ufe0f", "⟨U+FE0F⟩ ⟨U+FE0F⟩⟨U+200B⟩⟨U+FE0F⟩"],
  ["❤\ufe0f 葛\u{e0100}城", "❤\ufe0f 葛\u{e0100}城"],
  ["שלום, Grüße\n", "שלום, Grüße\n"],
  // Joiners within a word of joined letters, and within an emoji, belong to their neighbours.
  [
    "می\u200cخواهم क\u094d\u200dष 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥",
    "می\u200cخواهم क\u094d\u200dष 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥",
  ],
  ["pay\u200cpal می\u200c\u200cخ \u200cمی 👩\u200d", "pay⟨U+200C⟩pal می⟨U+200C⟩⟨U+200C⟩خ ⟨U+200C⟩می 👩⟨U+200D⟩"],
])("%j is shown as %j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("the form of a URL takes public HTTPS in any case of letters, and no reserved or endless name", () => {
  const isOfForm = (url: string) => new RegExp(urlForm.pattern).test(url) && !new RegExp(urlForm.not.pattern).test(url);
  const endless = `${"a".repeat(63)}.`.repeat(4);
  const taken = [
    "https://example.com",
    "HTTPS://EXAMPLE.com:443/a?b",
    "https://home.example/",
    `https://${endless.slice(5)}de/`,
  ];
  expect(taken.filter((url) => !isOfForm(url))).toEqual([]);
  const names = [
    "localhost",
    "a.local",
    "a.internal",
    "a.home.arpa",
    "a.Onion",
    "a.test",
    "a.invalid",
    "a.svc",
    "a.1",
    "a.0x7f",
  ];
  const refused = [...names, endless.slice(0, -2), "a_b.de", "user@a.de", "a.de:8443"].map(
    (name) => `https://${name}/`,
  );
  expect(refused.concat("http://a.de/", "://a.de/", "https://a.de/#b").filter(isOfForm)).toEqual([]);
});
