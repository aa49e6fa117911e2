import fc from "fast-check";

const MAX_BYTES = 4096;
/** Parts that take more than a byte, or that some parser treats specially. */
const SPECIAL = [..."\0\ud83d\udce6\ue000\u202e\u0130\u00df€", '"', "\\", "%", ",", ";", "=", "[", "{"];

/** Cuts some bytes at a place, and puts others there. */
interface Edit {
  at: number;
  cut: number;
  put: Buffer;
}

/** Known inputs, each with up to four changes: bytes cut, repeated, or replaced by others, by special characters, or by parts of other inputs. */
export function changedInputs(known: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const input = fc.constantFrom(...known);
  const place = fc.nat(MAX_BYTES);
  const part = fc
    .tuple(input, place, fc.nat(32))
    .map(([other, from, length]) => other.subarray(from % (other.length + 1)).subarray(0, length));
  const edit: fc.Arbitrary<Edit> = fc.record({
    at: place,
    cut: fc.oneof(fc.constant(0), fc.nat(16), fc.constant(MAX_BYTES)),
    put: fc.oneof(
      fc.constant(Buffer.of()),
      fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...SPECIAL).map((text) => Buffer.from(text)),
      fc.nat(2 ** 32).map((number) => Buffer.from(String(number))),
      part,
    ),
  });
  return fc
    .tuple(input, fc.array(edit, { maxLength: 4 }))
    .map(([first, edits]) => edits.reduce(changed, first).subarray(0, MAX_BYTES));
}

function changed(bytes: Buffer, { at, cut, put }: Edit): Buffer {
  const from = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + cut)]);
}
