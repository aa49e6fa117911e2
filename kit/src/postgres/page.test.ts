import { MOST_PAGE_BYTES, page } from "./page.js";

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `id_${index}` }));

describe("page", () => {
  test("a full page with more behind it names its last id as cursor", () => {
    expect(page(rows(3), 2)).toEqual({ rows: rows(2), nextCursor: "id_1" });
  });
  test("a page that ends exactly at the end has no cursor", () => {
    expect(page(rows(2), 2)).toEqual({ rows: rows(2) });
  });
  test("a page ends where its rows come to 1 MiB as JSON, and names its last id as cursor", () => {
    const large = (count: number, size: number) => rows(count).map((row) => ({ ...row, text: "é".repeat(size) }));
    const read = large(100, 10_000);
    const { rows: shown, nextCursor } = page(read, 100);
    expect(shown).toEqual(read.slice(0, 52));
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(MOST_PAGE_BYTES);
    expect(Buffer.byteLength(JSON.stringify(read.slice(0, 53)))).toBeGreaterThan(MOST_PAGE_BYTES);
    expect(nextCursor).toBe("id_51");
    expect(page(large(52, 10_000), 100)).not.toHaveProperty("nextCursor");
  });
  test("a row that is larger by itself is a page by itself", () => {
    const read = rows(2).map((row) => ({ ...row, text: "x".repeat(MOST_PAGE_BYTES) }));
    expect(page(read, 100)).toEqual({ rows: read.slice(0, 1), nextCursor: "id_0" });
    expect(page(read.slice(0, 1), 100)).toEqual({ rows: read.slice(0, 1) });
  });
  test("an empty page has no cursor", () => {
    expect(page([], 25)).toEqual({ rows: [] });
  });
});
