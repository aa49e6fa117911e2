const BYTEA = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/**
 * Encodes a parameter of type `bytea[]` in PostgreSQL's binary format, which the driver sends unchanged. The driver would turn an array
 * into text with two digits per byte, which costs several times as much to write and to parse.
 */
export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + LENGTH_BYTES + (value?.length ?? 0), HEADER_BYTES);
  const encoded = Buffer.allocUnsafe(bytes);
  const dimensions = 1;
  const first = 1;
  let at = 0;
  const add = (integer: number) => {
    at = encoded.writeInt32BE(integer, at);
  };
  for (const integer of [dimensions, Number(values.includes(null)), BYTEA, values.length, first]) add(integer);
  for (const value of values) {
    add(value ? value.length : NULL);
    if (!value) continue;
    encoded.set(value, at);
    at += value.length;
  }
  return encoded;
}

/** Whether a parameter is an array of bytes. An array that contains only nulls does not count, because it has no type. */
export function isByteaArray(value: unknown): value is readonly (Uint8Array | null)[] {
  return Array.isArray(value) && value.some((element) => element !== null) && value.every(isBytesOrNull);
}

function isBytesOrNull(element: unknown): element is Uint8Array | null {
  return element === null || element instanceof Uint8Array;
}
