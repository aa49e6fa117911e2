// U+0000 and the other C0 controls except tab and line breaks; under the `u` flag \p{Surrogate} matches lone surrogates only.
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]|\p{Surrogate}/u;

// One or more of Unicode's White_Space, as characters that every dialect of regular expressions knows.
const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

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
