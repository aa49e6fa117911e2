import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import fc from "fast-check";
import { newApiKey, parseApiKey } from "./api-key.js";

// The key is the same in every run, because names of tests contain it.
const { key, hash, lastFour } = newApiKey("sandbox", (count) => Buffer.alloc(count, "a key"));

describe("newApiKey", () => {
  test("a key names its environment, then come 32 random characters and six of its checksum", () => {
    expect(key).toMatch(/^service_test_[0-9A-Za-z]{38}$/);
    expect(newApiKey("live", randomBytes).key).toMatch(/^service_live_[0-9A-Za-z]{38}$/);
  });

  test("what is kept is the hash of the whole key, and its last four characters", () => {
    expect(hash).toEqual(createHash("sha256").update(key).digest());
    expect(lastFour).toBe(key.slice(-4));
  });

  test("the checksum is CRC-32 in base62, as any implementation has it", () => {
    const zeros = newApiKey("sandbox", (count) => new Uint8Array(count)).key;
    // Python: zlib.crc32(b"service_test_" + b"0" * 32) is 4278090128.
    expect(zeros).toBe(`service_test_${"0".repeat(32)}4fWQfg`);
  });

  test("every character is equally likely: bytes that would favour some are thrown away", () => {
    const bytes = [255, 248, 61, 62, 247, 0];
    let next = 0;
    const drawn = newApiKey("live", (count) => Uint8Array.from({ length: count }, () => bytes[next++ % 6]!)).key;
    expect(drawn.slice(13, 45)).toBe("z0z0".repeat(8));
  });
});

describe("parseApiKey", () => {
  test("finds the hash of the key behind the scheme, in any capitals", () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) expect(parseApiKey(`${scheme} ${key}`)).toEqual({ hash });
    expect(parseApiKey(`Bearer   ${key}`)).toEqual({ hash });
  });

  test.each([
    ...[undefined, "", "Bearer", "Bearer ", key, `Basic ${key}`, `Bearer${key}`, `Digest Bearer ${key}`],
    ...[`Bearer ${key} ${key}`, `Bearer ${key},${key}`, `Bearer ${key}0`, `Bearer ${key.slice(0, -1)}`],
    ...[
      `Bearer ${key.replace("test", "prod")}`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer service_test_${"é".repeat(38)}`,
    ],
  ])("undefined for no key, another scheme or another format: %s", (header) => {
    expect(parseApiKey(header)).toBeUndefined();
  });

  test("no typo passes: neither a changed character nor two that changed places", () => {
    const place = fc.integer({ min: "service_test_".length, max: key.length - 2 });
    const character = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    fc.assert(
      fc.property(place, character, (at, other) => {
        const changed = key.slice(0, at) + other + key.slice(at + 1);
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
        for (const typo of [changed, swapped]) {
          expect(parseApiKey(`Bearer ${typo}`)).toEqual(typo === key ? { hash } : undefined);
        }
      }),
    );
  });
});

describe("a key of a cell", () => {
  const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const characters = (alphabet: string, length: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });

  /** Adds the checksum, which the decision record describes. */
  function withChecksum(body: string): string {
    let digits = "";
    for (let value = zlib.crc32(body); digits.length < 6; value = Math.floor(value / 62))
      digits = base62.charAt(value % 62) + digits;
    return body + digits;
  }

  /** The prefix, the two letters of the cell, an underscore and 29 random characters. */
  const keysOfCells = fc
    .tuple(
      fc.constantFrom("service_test_", "service_live_"),
      characters("abcdefghijklmnopqrstuvwxyz", 2),
      characters(base62, 29),
    )
    .map(([prefix, cell, rest]) => ({ cell, ofCell: withChecksum(`${prefix}${cell}_${rest}`) }));

  test("is found by the pattern for scanners in the guide, like those of today", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/environments.md"), "utf8");
    const pattern = new RegExp(`^${/`(service_\(\?.*)`/.exec(guide)?.[1]}$`);
    expect(key).toMatch(pattern);
    fc.assert(fc.property(keysOfCells, ({ ofCell }) => expect(ofCell).toMatch(pattern)));
  });

  test("names its cell, and is as long as any other", () => {
    fc.assert(
      fc.property(keysOfCells, ({ cell, ofCell }) => {
        const hash = createHash("sha256").update(ofCell).digest();
        expect(parseApiKey(`Bearer ${ofCell}`)).toEqual({ hash, cell });
        expect(ofCell).toHaveLength(key.length);
      }),
    );
  });

  test("is none of today's, whatever bytes these are made of", () => {
    const environment = fc.constantFrom("sandbox" as const, "live" as const);
    const bytes = fc.array(fc.nat({ max: 247 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(environment, bytes, (environment, bytes) => {
        let next = 0;
        const random = (count: number) => Uint8Array.from({ length: count }, () => bytes[next++ % bytes.length]!);
        const made = newApiKey(environment, random);
        expect(parseApiKey(`Bearer ${made.key}`)).toEqual({ hash: made.hash });
      }),
    );
  });

  test("has a checksum over its cell, too: with the letters of another cell, or without an underscore, it is no key", () => {
    fc.assert(
      fc.property(keysOfCells, characters("abcdefghijklmnopqrstuvwxyz", 2), ({ cell, ofCell }, other) => {
        const moved = ofCell.replace(`_${cell}_`, `_${other}_`);
        expect(parseApiKey(`Bearer ${moved}`)?.cell).toBe(moved === ofCell ? cell : undefined);
        expect(parseApiKey(`Bearer ${ofCell.replace(`_${cell}_`, `_${cell}0`)}`)).toBeUndefined();
      }),
    );
  });

  test.each(["EU_", "e1_", "e_", "eur_", "_eu", "eu__"])("has two small letters and an underscore, not %s", (start) => {
    const text = withChecksum(`service_test_${start.padEnd(32, "0")}`);
    expect(parseApiKey(`Bearer ${text}`)).toBeUndefined();
  });
});

test("keys have as many characters as refusals say", () => expect(key).toHaveLength(51));
