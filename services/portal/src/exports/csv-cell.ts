/**
 * An RFC 4180 cell that no spreadsheet evaluates as a formula. Spreadsheets split a file at commas, at semicolons or at tabs, as their language or
 * their user decides, and at semicolons and tabs even inside quotes. So each part of the text that can become a cell of its own is preceded by an
 * apostrophe if it would be a formula.
 */
export function toCell(text: string): string {
  const safe = isTelephone(text) ? text : text.replace(PART, (part) => (FORMULA.test(part) ? `'${part}` : part));
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// Commas only separate outside quotes, and a text with a comma is in quotes.
const PART = /[^;\t\r\n]+/g;

/**
 * The beginning of a formula, in ASCII or full-width characters. Spreadsheets drop certain characters before it: LibreOffice NUL, and optionally
 * spaces; Excel also a pair of quotes.
 */
const FORMULA = /^[\s\p{C}"]*[=+\-@＝＋－＠]/u;

const OPERATOR = /[-+/]/;

/**
 * Whether a text is a telephone number, or looks like one, and stays as it is. Spreadsheets compute `+49-30-123`, in which operators separate all
 * numbers, and `+49 30/123`, which is a mixed fraction. They leave `+49 (30) 12-34` alone, because no operator is before the 30.
 */
function isTelephone(text: string): boolean {
  if (!/^[+\d ().\-/]+$/.test(text)) return false;
  const between = text
    .split(/\d+/)
    .slice(1, -1)
    .map((gap) => gap.trim());
  const isSum = between.some((gap) => OPERATOR.test(gap)) && between.every((gap) => gap === "." || OPERATOR.test(gap));
  const isFraction = between.length === 2 && between[0] === "" && between[1] === "/";
  return !isSum && !isFraction;
}
