/** Widths of bar, gap, bar … of each symbol character, in modules (ISO/IEC 15417, table 1). The last one is the stop character. */
const PATTERNS = (
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 " +
  "123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 " +
  "232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 " +
  "313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 " +
  "111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 " +
  "111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 " +
  "114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112"
).split(" ");

const CODE_C = 99;
const CODE_B = 100;
const START_B = 104;
const START_C = 105;
const STOP = 106;
const CHECK_MODULUS = 103;
/** The character of value 0 in code set B. */
const SPACE = 32;

/** Encodes printable ASCII in Code 128 (ISO/IEC 15417): a digit for each bar, gap, bar …, its width in modules. bwip-js, several times slower, checks it in tests. */
export function code128(text: string): string {
  if (!/^[ -~]+$/.test(text)) throw new Error(`Code 128 cannot hold ${JSON.stringify(text)}`);
  const values = symbolCharacters(text);
  const sum = values.reduce((total, value, position) => total + value * Math.max(position, 1), 0);
  return [...values, sum % CHECK_MODULUS, STOP].map((value) => PATTERNS[value]).join("");
}

/**
 * Returns the start character and those of the text. Code set C holds two digits in a character, and is used for runs of at least four
 * (annex E).
 */
function symbolCharacters(text: string): number[] {
  let digits = digitsAt(text, 0);
  let inC = digits >= 4 || (digits === 2 && text.length === 2);
  const values = [inC ? START_C : START_B];
  for (let at = 0; at < text.length; ) {
    if (inC && digits >= 2) {
      values.push(Number(text.slice(at, at + 2)));
      at += 2;
      digits -= 2;
    } else if (inC || (digits >= 4 && digits % 2 === 0)) {
      values.push(inC ? CODE_B : CODE_C);
      inC = !inC;
    } else {
      values.push(text.charCodeAt(at) - SPACE);
      at++;
      digits = digits > 0 ? digits - 1 : digitsAt(text, at);
    }
  }
  return values;
}

function digitsAt(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end - start;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
