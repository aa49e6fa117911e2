import { isBlank } from "./blank.js";

const kinds = {
  "white space": ["", " \u0085\n", "\u00a0", "\u2003", "\u3000"],
  "joiners and marks of direction": ["\u200b", "\u200c\u200d", "\u2060", "\ufeff", "\u202e", "\u061c"],
  "soft hyphens, separators and selectors": ["\u00ad", "\u034f", "\u180e", "\ufe0f", "\u{e0101}"],
  fillers: ["\u115f\u1160", "\u3164", "\uffa0"],
  "tags and reserved code points": ["\u{e0041}\u{e007f}", "\u2065", "\u{e0fff}"],
  "blanks that are symbols": ["\u2800"],
};

test.each(Object.entries(kinds))("%s are blank, alone and together", (_kind, texts) => {
  for (const text of texts) expect([text, isBlank(text)]).toEqual([text, true]);
  expect(isBlank(`${texts.join(" ")}\u200b\u2800`)).toBe(true);
  expect(isBlank(`${texts.join("")}a`)).toBe(false);
});

test.each(["-", "0", "\u0301", "\u2801", "\u{1f600}\ufe0f", "\u007f", "\ue000", "\ufffd"])(
  "%j is not blank",
  (text) => {
    expect(isBlank(text)).toBe(false);
  },
);
