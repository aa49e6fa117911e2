// Parts of regular expressions that ECMAScript, Python and Rust read alike, since they stand in the OpenAPI document, too: no \p{…}, no \s.
// U+0000 and the other C0 controls except tab and line breaks.
const CONTROLS = "\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F";
// Unicode's White_Space, but for the two among those.
const BLANKS = "\\t\\n\\r \\x85\\xA0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000";

/** As a JSON Schema pattern: a text without the characters that are refused everywhere. Patterns cannot express lone surrogates. */
export const CLEAN_PATTERN = `^[^${CONTROLS}]*$`;

/** The same of a text that is not only white space. */
export const FILLED_PATTERN = `^[${BLANKS}]*[^${CONTROLS}${BLANKS}][^${CONTROLS}]*$`;

const BLANK = new RegExp(`^[${BLANKS}\\v\\f]*$`);
// Under the `u` flag \p{Surrogate} matches lone surrogates only.
const FORBIDDEN = new RegExp(`[${CONTROLS}]|\\p{Surrogate}`, "u");

/** Whether a text is nothing but white space. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Whether a text holds none of the characters that the API refuses everywhere. */
export function isClean(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/** Whether a text has at most `max` Unicode code points. */
export function isWithin(text: string, max: number): boolean {
  // A code point is one or two UTF-16 units: most texts need no count.
  if (text.length <= max) return true;
  return text.length <= 2 * max && [...text].length <= max;
}
