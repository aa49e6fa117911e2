import { isId, newId, pooledRandom } from "./ids.js";

describe("an id", () => {
  test("is its prefix and 26 base32 characters of 128 bits", () => {
    expect(newId("shp", (bytes) => new Uint8Array(bytes))).toBe(`shp_${"a".repeat(26)}`);
    expect(newId("shp", (bytes) => new Uint8Array(bytes).fill(255))).toBe(`shp_${"7".repeat(25)}4`);
    expect(isId("shp", newId("shp", pooledRandom))).toBe(true);
  });

  test("is invalid with another prefix, length, case, or more than 128 bits", () => {
    const id = newId("shp", pooledRandom);
    for (const other of [
      `lbl${id.slice(3)}`,
      `${id}a`,
      id.slice(0, -1),
      `shp_${"A".repeat(26)}`,
      `shp_${"b".repeat(26)}`,
    ]) {
      expect(isId("shp", other)).toBe(false);
    }
  });
});

test("random bytes are fetched for many ids, and no byte is returned twice, whatever the requests", () => {
  const seen = [5, 16, 4_090, 16, 5_000, 16].map(pooledRandom);
  expect(seen.map(({ length }) => length)).toEqual([5, 16, 4_090, 16, 5_000, 16]);
  const ranges = seen.map(({ buffer, byteOffset, length }) => ({ buffer, from: byteOffset, to: byteOffset + length }));
  for (const [at, one] of ranges.entries()) {
    const overlapping = ranges
      .slice(at + 1)
      .filter((two) => two.buffer === one.buffer && two.from < one.to && one.from < two.to);
    expect(overlapping).toEqual([]);
  }
  const ids = Array.from({ length: 2_000 }, () => newId("shp", pooledRandom));
  expect(new Set(ids).size).toBe(2_000);
});
