import { page } from "./page.js";

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `id_${index}` }));

describe("page", () => {
  test("a full page with more behind it names its last id as cursor", () => {
    expect(page(rows(3), 2)).toEqual({ rows: rows(2), nextCursor: "id_1" });
  });
  test("a page that ends exactly at the end has no cursor", () => {
    expect(page(rows(2), 2)).toEqual({ rows: rows(2) });
  });
  test("an empty page has no cursor", () => {
    expect(page([], 25)).toEqual({ rows: [] });
  });
});
