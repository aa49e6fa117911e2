import { MAX_PAGE_BYTES, renderPage } from "./page.js";

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `id_${index}` }));
const idOf = ({ id }: { id: string }) => JSON.stringify(id);

function page(read: readonly { id: string }[], limit: number, render = idOf) {
  const { data, nextCursor } = renderPage(read, limit, render);
  return [JSON.parse(Buffer.from(data).toString()), nextCursor];
}

describe("renderPage", () => {
  test("a full page with more behind it names its last id as cursor", () => {
    expect(page(rows(3), 2)).toEqual([["id_0", "id_1"], "id_1"]);
  });
  test("a page that ends exactly at the end has no cursor", () => {
    expect(page(rows(2), 2)).toEqual([["id_0", "id_1"], undefined]);
    expect(renderPage(rows(2), 2, idOf)).not.toHaveProperty("nextCursor");
  });
  test("contains the resources byte for byte as they were rendered", () => {
    const { data } = renderPage(rows(2), 2, ({ id }) => `{ "ü": "${id}" }`);
    expect(Buffer.from(data).toString()).toBe('[{ "ü": "id_0" },{ "ü": "id_1" }]');
  });
  test("a page ends before it comes to more than 1 MiB, and names its last id as cursor", () => {
    const large = () => JSON.stringify("é".repeat(10_000));
    const [shown, nextCursor] = page(rows(100), 100, large);
    expect(shown).toHaveLength(52);
    expect(53 * Buffer.byteLength(large())).toBeGreaterThan(MAX_PAGE_BYTES);
    expect(nextCursor).toBe("id_51");
    expect(page(rows(52), 100, large)[1]).toBeUndefined();
  });
  test("a resource that is larger by itself is a page by itself", () => {
    const huge = () => JSON.stringify("x".repeat(MAX_PAGE_BYTES));
    const [shown, nextCursor] = page(rows(2), 100, huge);
    expect(shown).toHaveLength(1);
    expect(nextCursor).toBe("id_0");
    expect(page(rows(1), 100, huge)[1]).toBeUndefined();
  });
  test("an empty page has no cursor", () => {
    expect(page([], 25)).toEqual([[], undefined]);
  });
});
