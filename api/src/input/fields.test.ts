import { readQuery } from "./fields.js";

const fields = { q: { maxLength: 4 }, zone: { maxLength: 10 } };
const refusal = (path: string, message: string) => expect.objectContaining({ fields: [{ path, message }] });

test("of a query, a page sees the parameters that it declares, and no others", () => {
  const query = readQuery(`/list?q=a+b&other=${"x".repeat(100)}&q=c&__proto__=1`, fields);
  expect([...query]).toEqual([
    ["q", "a b"],
    ["q", "c"],
  ]);
  expect([...readQuery("/list", fields)]).toEqual([]);
});

test.each([
  ["q=abcde", "q", "must have at most 4 characters"],
  ["q=a&q=abcde", "q", "must have at most 4 characters"],
  ["q=%F0%9F%98%80%F0%9F%98%80a", "q", "must have at most 4 characters"],
  [`other=${"x".repeat(7_995)}`, "query", "must have at most 8000 characters"],
  ["&".repeat(8_001), "query", "must have at most 8000 characters"],
])("%.30s: %s %s", (query, path, message) => {
  expect(() => readQuery(`/list?${query}`, fields)).toThrow(refusal(path, message));
});

test("a query of 8,000 characters is read", () => {
  expect(readQuery(`/list?q=abcd&${"&".repeat(7_993)}`, fields).get("q")).toBe("abcd");
});
