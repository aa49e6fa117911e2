// These patterns are also in the OpenAPI document, and clients generated from it compile them: PCRE2, Onigmo and RE2 among others, some
// of them over the bytes of UTF-8. So they use ASCII only, and no \p{…}, \s or \u….
// U+0000 and the other C0 controls except tab and line breaks.
const CONTROLS = "\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F";
const ASCII_BLANKS = "\\t\\n\\r ";

/** JSON Schema pattern of a text without the characters that the API refuses. It cannot express lone surrogates, which are refused too. */
export const CLEAN_PATTERN = `^[^${CONTROLS}]*$`;

/** The same pattern for a text that is not blank. It cannot express blanks beyond ASCII, which the description covers. */
export const FILLED_PATTERN = `^[${ASCII_BLANKS}]*[^\\x00-\\x20][^${CONTROLS}]*$`;

// The `u` flag makes \p{Surrogate} match only lone surrogates.
const FORBIDDEN = new RegExp(`[${CONTROLS}]|\\p{Surrogate}`, "u");

/** The first character of a text that the API refuses. */
export function findForbidden(text: string): string | undefined {
  return FORBIDDEN.exec(text)?.[0];
}

/** Whether a text contains none of the characters that the API refuses. */
export function isClean(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/** Whether a text has at most `max` Unicode code points. */
export function isWithin(text: string, max: number): boolean {
  // A code point is one or two UTF-16 units, so most texts need not be counted.
  if (text.length <= max) return true;
  return text.length <= 2 * max && [...text].length <= max;
}

// JSON Schema patterns of a subscription's URL. The webhooks service has the complete rules and names the one that a URL breaks.

const LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
// Printable ASCII without `#` and backslash.
const REST = '[/?][!"$-\\[\\]-~]*';

// A host that ends in a number is an IP address in some notation.
const NUMBER = "[0-9]+|0[Xx][0-9A-Fa-f]*";
const RESERVED = ["localhost", "local", "internal", "home\\.arpa", "onion", "test", "invalid", "svc"].map(inAnyCase);
const TOO_LONG = "[^/?:]{254}";
const NOT_PUBLIC = `([^/?:]*\\.)?(${[NUMBER, ...RESERVED].join("|")})([/?:]|$)`;

/** The rules for a subscription's URL that JSON Schema can express. */
export const urlForm = {
  pattern: `^${inAnyCase("https")}://(${LABEL}\\.)+${LABEL}(:(0*443)?)?(${REST})?$`,
  not: { pattern: `^[^/]*//(${TOO_LONG}|${NOT_PUBLIC})` },
  maxLength: 2048,
};

/** JSON Schema patterns have no flags, such as `i`. */
function inAnyCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

// Characters that are invisible or change the direction of text. Three kinds belong to what is before them, and stay: a selector, which chooses the
// form of a character; a joiner or non-joiner in a script whose letters join, such as Arabic or Devanagari; and a joiner between emoji.
const SELECTOR = "(?<=[^\\p{White_Space}\\p{Default_Ignorable_Code_Point}])\\p{Variation_Selector}";
const LETTER = "[\\p{L}\\p{M}]";
const APART =
  "[\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Hebrew}]";
const JOINER = `(?<=(?!${APART})${LETTER})[\\u200C\\u200D](?=(?!${APART})${LETTER}|(?<=\\p{Mn}\\u200D))`;
const EMOJI_JOINER = "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})";
const HIDDEN = new RegExp(`(?!${SELECTOR}|${JOINER}|${EMOJI_JOINER})\\p{Default_Ignorable_Code_Point}|\\u2800`, "gu");

/** The text with invisible characters replaced by their code points, such as `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => `⟨${codePointOf(character)}⟩`);
}

/** The code point of a character as Unicode writes it, such as `U+200B`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
