/** Repeats one part. */
const fill = (part: string) => (size: number) => part.repeat(Math.ceil(size / part.length)).slice(0, size);
/** Parts after a beginning and before an end. */
const wrapped = (start: string, parts: (size: number) => string, end: string) => (size: number) =>
  start + parts(Math.max(0, size - start.length - end.length)) + end;
const between = (start: string, part: string, end: string) => wrapped(start, fill(part), end);
/** As many whole parts as fit. They may differ in their number. */
const numbered = (part: (n: number) => string) => (size: number) => {
  const parts: string[] = [];
  for (let n = 0, length = part(0).length; length <= size; n++, length += part(n).length) parts.push(part(n));
  return parts.join("");
};

const whole = (part: string) => numbered(() => part);
const otherMembers = numbered((n) => `"m${99_999 - n}":{},`);

/**
 * Texts for which parsers, searches and regular expressions are known to take more than linear time: long repetitions of what a pattern may
 * repeat, with an end that does not match; openings without an end; separators; and characters that fold to several.
 */
export const hostileTexts: Readonly<Record<string, (size: number) => string>> = {
  letters: fill("a"),
  "letters with an end": between("", "a", "!"),
  "capitals and a blank": between("", "A", " b"),
  words: fill("ab "),
  "names of fields": fill("a_b "),
  digits: fill("1"),
  zeros: between("", "0", "x"),
  decimals: fill("1."),
  exponents: fill("1e9"),
  "a long exponent": between("1e", "9", ""),
  signs: fill("-+"),
  spaces: between("", " ", "x"),
  "spaces inside": between("x", " ", "x"),
  tabs: between("", "\t", "x"),
  "line breaks": between("", "\r\n", "x"),
  "spaces before commas": fill(" ,"),
  hyphens: between("", "-", "!"),
  underscores: between("a", "_", "!"),
  "equals signs": fill("="),
  ampersands: fill("&"),
  pairs: fill("a=b&"),
  "percent signs": fill("%"),
  "escaped percent signs": fill("%25"),
  escapes: fill("%F0%9F%98%80"),
  "pairs of other names": numbered((n) => `a${n}=1&`),
  "double quotes": fill('"'),
  "quoted strings": between("", '\\"', ""),
  "single quotes": fill("'"),
  backslashes: fill("\\"),
  "opening brackets": fill("["),
  "closing brackets": fill("]"),
  "links in Markdown": fill("[a]("),
  braces: fill("{"),
  "nested objects": fill('{"a":'),
  parentheses: fill("("),
  "opening angles": fill("<"),
  comments: fill("<!--"),
  references: fill("&amp;"),
  slashes: fill("/"),
  dots: fill("."),
  "labels of a host": fill("a."),
  addresses: fill("a@"),
  "an address without an end": between("a@", "a.", "!"),
  "a URL of many labels": between("https://", "a.", "/"),
  "a URL with a long path": between("https://a.example/", "a/", "?"),
  "URLs in URLs": fill("https://"),
  semicolons: fill("a;"),
  commas: fill("a,"),
  colons: fill(":"),
  "IDs of orders": fill("ord_mfrggzdfmztwq2lknnwg23tpoa"),
  "the beginning of a key": fill("service_test_"),
  "keys that are too short": fill("service_test_abc "),
  "URLs with a password": fill("postgres://a:b"),
  "a secret without an end": between("whsec_", "A", ""),
  "a scheme of authorization": fill("Bearer "),
  "times of day": fill("2026-01-01T00:00:00"),
  "combining marks": between("a", "\u0301", ""),
  "letters with marks": fill("e\u0301"),
  "letters that become eighteen": fill("\ufdfa"),
  "letters that become two": fill("\u0130\u1e9e\u00df"),
  ligatures: fill("\ufb03"),
  "zero width": fill("\u200b"),
  "right to left": fill("\u202e\u05d0"),
  "joined emoji": fill("\u{1f468}\u200d\u{1f469}\u200d"),
  flags: fill("\u{1f1e9}"),
  "Chinese letters": fill("\u6771\u4eac"),
  "lone surrogates": fill("\ud800"),
  "null characters": fill("\0"),
  "control characters": fill("\u0007\u001b"),
};

/** Texts that are valid JSON to the end, for readers: as bodies, they may cost more than 5 ms, but not more than in proportion to their length. */
export const wholeTexts: typeof hostileTexts = {
  "a list of numbers": wrapped("[", whole("12345678901234567,"), "0]"),
  "a list of deep lists": wrapped("[", whole(`${"[".repeat(15)}${"]".repeat(15)},`), "0]"),
  "an object of other members": wrapped("{", otherMembers, '"z":0}'),
  "a text of escapes": wrapped('"', whole("\\u0041"), '"'),
};
