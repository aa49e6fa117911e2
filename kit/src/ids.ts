import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Returns that many random bytes; `pooledRandom` outside tests. */
export type Random = (bytes: number) => Uint8Array;

const POOL_BYTES = 4096;
let pool = new Uint8Array();

/** Random bytes from `node:crypto`, fetched for many IDs at once: a fetch costs more than an ID. No byte is used twice. */
export const pooledRandom: Random = (bytes) => {
  if (pool.length < bytes) pool = randomBytes(Math.max(POOL_BYTES, bytes));
  const taken = pool.subarray(0, bytes);
  pool = pool.subarray(bytes);
  return taken;
};

/** Creates an opaque ID: the prefix, `_`, and 26 base32 characters of 128 random bits. IDs reveal no time. */
export function newId(prefix: string, random: Random): string {
  return `${prefix}_${base32(random(16))}`;
}

/** Returns true if a string has the exact form of that resource's IDs. */
export function isId(prefix: string, value: string): boolean {
  return value.length === prefix.length + 27 && value.startsWith(`${prefix}_`) && ID_TAIL.test(value.slice(-26));
}

// 128 bits fill 25 characters and three bits of the last one, which is therefore one of the 8 characters that end in two zero bits.
const ID_TAIL = /^[a-z2-7]{25}[aeimquy4]$/;

/** RFC 4648 base32 in lower case, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
  }
  if (bits > 0) text += ALPHABET[(value << (5 - bits)) & 31];
  return text;
}
