/** Modules per side: the size that holds the longest possible text, so that the symbols of all labels have the same size. */
export const MATRIX_SIDE = 22;

// These are the constants of this size (ISO/IEC 16022, table 7); `INNER` is the side within the finder pattern.
const INNER = MATRIX_SIDE - 2;
const DATA = 30;
const CORRECTION = 20;

const PAD = 129;
const FIELD = 0x12d;

/** Encodes ASCII as a Data Matrix (ISO/IEC 16022, ECC 200): the modules row by row, 1 is dark. bwip-js, several times slower, checks it in tests. */
export function dataMatrix(text: string): Uint8Array {
  const codewords = new Uint8Array(DATA + CORRECTION);
  encode(text, codewords);
  correct(codewords);
  const modules = FINDER.slice();
  for (let bit = 0; bit < PLACES.length; bit++) modules[PLACES[bit]!] = (codewords[bit >> 3]! >> (7 - (bit & 7))) & 1;
  return modules;
}

/** Encodes two digits as one codeword, and any other character as one (5.2.3). Pads follow, all but the first of which are scrambled by their position (annex B). */
function encode(text: string, codewords: Uint8Array): void {
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    if (length === DATA) throw new Error(`A symbol of ${MATRIX_SIDE} by ${MATRIX_SIDE} modules cannot hold ${text}`);
    const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
    const isPair = isDigit(first) && isDigit(second);
    codewords[length] = isPair ? 130 + 10 * (first - ZERO) + second - ZERO : first + 1;
    at += isPair ? 2 : 1;
  }
  for (let pad = length; pad < DATA; pad++) {
    const scrambled = PAD + ((149 * (pad + 1)) % 253) + 1;
    codewords[pad] = pad === length ? PAD : scrambled > 254 ? scrambled - 254 : scrambled;
  }
}

const ZERO = 48;

function isDigit(code: number): boolean {
  return code >= ZERO && code < ZERO + 10;
}

/** Adds the Reed-Solomon codewords of the data (annex E): the remainder of its division by the generator. */
function correct(codewords: Uint8Array): void {
  const rest = codewords.subarray(DATA);
  for (let at = 0; at < DATA; at++) {
    const factor = codewords[at]! ^ rest[0]!;
    for (let index = 0; index < CORRECTION; index++) {
      const next = index < CORRECTION - 1 ? rest[index + 1]! : 0;
      rest[index] = next ^ times(factor, GENERATOR[index]!);
    }
  }
}

// The powers of 2 in the field are stored twice in a row, so that a sum of two logarithms needs no modulus.
const POWERS = new Uint8Array(510);
const LOGARITHMS = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power++) {
  POWERS[power] = value;
  POWERS[power + 255] = value;
  LOGARITHMS[value] = power;
  value <<= 1;
  if (value > 255) value ^= FIELD;
}

/** Returns the product of two elements of the field. */
function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : POWERS[LOGARITHMS[a]! + LOGARITHMS[b]!]!;
}

/** Returns the coefficients of the generator below its leading 1, the highest first. */
const GENERATOR = generator();
function generator(): Uint8Array {
  let polynomial = [1];
  for (let root = 1; root <= CORRECTION; root++) {
    const shifted = [...polynomial, 0];
    polynomial = shifted.map(
      (coefficient, index) => coefficient ^ times(POWERS[root] ?? 0, polynomial[index - 1] ?? 0),
    );
  }
  return Uint8Array.from(polynomial.slice(1));
}

/** Draws the finder pattern: left and bottom edges dark, the others alternating. */
const FINDER = Uint8Array.from({ length: MATRIX_SIDE ** 2 }, (_, place) => {
  const [row, column] = [Math.floor(place / MATRIX_SIDE), place % MATRIX_SIDE];
  const isDark = column === 0 || row > INNER || (row === 0 && column % 2 === 0) || (column > INNER && row % 2 === 1);
  return isDark ? 1 : 0;
});

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
// In a symbol of this size, one codeword is spread over the corners. These are its rows and columns.
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

/** Returns the place of each bit of the codewords in the symbol, the first codeword's highest bit first (annex F). */
const PLACES = places();
function places(): Uint16Array {
  const found: number[] = [];
  const taken = new Set<number>();
  // A module beyond an edge reappears at the opposite edge, shifted by four modules.
  const put = (row: number, column: number) => {
    const [r, c] = row < 0 ? [row + INNER, column + 4] : [row, column];
    const [inRow, inColumn] = c < 0 ? [r + 4, c + INNER] : [r, c];
    taken.add(inRow * INNER + inColumn);
    found.push((inRow + 1) * MATRIX_SIDE + inColumn + 1);
  };
  const utah = (row: number, column: number) => {
    const isInside = row >= 0 && row < INNER && column >= 0 && column < INNER;
    if (!isInside || taken.has(row * INNER + column)) return;
    for (const [up, left] of UTAH) put(row - up, column - left);
  };
  const inner = (index: number) => (index < 0 ? index + INNER : index);
  let [row, column] = [4, 0];
  do {
    if (row === INNER && column === 0) for (const [r, c] of CORNER) put(inner(r), inner(c));
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
  return Uint16Array.from(found);
}
