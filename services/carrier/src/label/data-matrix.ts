/** Modules per side: the size that holds the longest possible text, so that the symbols of all labels have the same size. */
export const MATRIX_SIDE = 22;

// Constants of this size (ISO/IEC 16022, table 7); `INNER` is the side within the finder pattern.
const INNER = MATRIX_SIDE - 2;
const DATA = 30;
const CORRECTION = 20;

const PAD = 129;
const FIELD = 0x12d;

/** Encodes ASCII as rows of a Data Matrix (ISO/IEC 16022, ECC 200), `1` is dark. bwip-js, several times slower, checks it in tests. */
export function dataMatrix(text: string): string[] {
  const data = padded(codewords(text));
  const all = [...data, ...correction(data)];
  const inner = PLACES.map(([codeword, bit]) => ((all[codeword] ?? 0) >> bit) & 1);
  const rows = Array.from({ length: INNER }, (_, row) => inner.slice(row * INNER, (row + 1) * INNER).join(""));
  // The finder pattern: left and bottom edges dark, the others alternating.
  return [
    "10".repeat(INNER / 2 + 1),
    ...rows.map((row, index) => `1${row}${1 - (index % 2)}`),
    "1".repeat(MATRIX_SIDE),
  ];
}

/** Encodes two digits as one codeword, and any other character as one (5.2.3). */
function codewords(text: string): number[] {
  const parts = text.match(/\d\d|./gs) ?? [];
  if (parts.length > DATA) throw new Error(`A symbol of ${MATRIX_SIDE} by ${MATRIX_SIDE} modules cannot hold ${text}`);
  return parts.map((part) => (part.length === 2 ? 130 + Number(part) : part.charCodeAt(0) + 1));
}

/** Adds pads, all but the first of which are scrambled by their position (5.2.3, annex B). */
function padded(words: readonly number[]): number[] {
  const pads = Array.from({ length: DATA - words.length }, (_, index) => {
    if (index === 0) return PAD;
    const scrambled = PAD + ((149 * (words.length + index + 1)) % 253) + 1;
    return scrambled > 254 ? scrambled - 254 : scrambled;
  });
  return [...words, ...pads];
}

/** The Reed-Solomon codewords of the data (annex E): the remainder of its division by the generator. */
function correction(data: readonly number[]): number[] {
  const rest = new Array<number>(CORRECTION).fill(0);
  for (const word of data) {
    const factor = word ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [index, coefficient] of GENERATOR.entries()) rest[index]! ^= times(factor, coefficient);
  }
  return rest;
}

const POWERS: number[] = [];
const LOGARITHMS: number[] = [];
for (let power = 0, value = 1; power < 255; power++) {
  POWERS.push(value);
  LOGARITHMS[value] = power;
  value <<= 1;
  if (value > 255) value ^= FIELD;
}

/** The product of two elements of the field. */
function times(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return POWERS[((LOGARITHMS[a] ?? 0) + (LOGARITHMS[b] ?? 0)) % 255] ?? 0;
}

/** The coefficients of the generator below its leading 1, the highest first. */
const GENERATOR = generator();
function generator(): number[] {
  let polynomial = [1];
  for (let root = 1; root <= CORRECTION; root++) {
    const shifted = [...polynomial, 0];
    polynomial = shifted.map(
      (coefficient, index) => coefficient ^ times(POWERS[root] ?? 0, polynomial[index - 1] ?? 0),
    );
  }
  return polynomial.slice(1);
}

type Place = readonly [codeword: number, bit: number];

// The bits of a codeword from its first to its last, as rows above the last bit and columns to its left (annex F).
const UTAH = [
  [2, 2],
  [2, 1],
  [1, 2],
  [1, 1],
  [1, 0],
  [0, 2],
  [0, 1],
  [0, 0],
] as const;
// The one codeword of this size that is spread over the corners, as rows and columns.
const CORNER = [
  [-1, 0],
  [-1, 1],
  [-1, 2],
  [0, -2],
  [0, -1],
  [1, -1],
  [2, -1],
  [3, -1],
] as const;

/** Which bit of which codeword stands where, row by row (annex F). */
const PLACES = places();
function places(): Place[] {
  const placed: Place[] = [];
  let codeword = 0;
  // A module beyond an edge reappears at the opposite edge, shifted by four modules.
  const put = (row: number, column: number, bit: number) => {
    const [r, c] = row < 0 ? [row + INNER, column + 4] : [row, column];
    placed[c < 0 ? (r + 4) * INNER + c + INNER : r * INNER + c] = [codeword, bit];
  };
  const utah = (row: number, column: number) => {
    const isInside = row >= 0 && row < INNER && column >= 0 && column < INNER;
    if (!isInside || placed[row * INNER + column]) return;
    for (const [index, [up, left]] of UTAH.entries()) put(row - up, column - left, 7 - index);
    codeword++;
  };
  const inner = (index: number) => (index < 0 ? index + INNER : index);
  let [row, column] = [4, 0];
  do {
    if (row === INNER && column === 0) {
      for (const [index, [r, c]] of CORNER.entries()) put(inner(r), inner(c), 7 - index);
      codeword++;
    }
    do {
      utah(row, column);
      row -= 2;
      column += 2;
    } while (row >= 0 && column < INNER);
    row += 1;
    column += 3;
    do {
      utah(row, column);
      row += 2;
      column -= 2;
    } while (row < INNER && column >= 0);
    row += 3;
    column += 1;
  } while (row < INNER || column < INNER);
  return placed;
}
