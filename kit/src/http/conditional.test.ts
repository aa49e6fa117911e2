import { parseRange, unmetCondition } from "./conditional.js";

const TIME = "Sun, 06 Nov 1994 08:49:37 GMT";
const EARLIER = "Sun, 06 Nov 1994 08:49:36 GMT";
const page = { etag: '"a"', modified: new Date(TIME) };

describe("the conditions of a GET", () => {
  test.each([
    [{}, undefined],
    [{ "if-match": '"a"' }, undefined],
    [{ "if-match": '"x", "a"' }, undefined],
    [{ "if-match": "*" }, undefined],
    [{ "if-match": '"x"' }, 412],
    [{ "if-match": 'W/"a"' }, 412],
    [{ "if-match": "a" }, 412],
    [{ "if-match": "" }, 412],
    [{ "if-unmodified-since": TIME }, undefined],
    [{ "if-unmodified-since": EARLIER }, 412],
    [{ "if-unmodified-since": "Sunday, 06-Nov-94 08:49:36 GMT" }, 412],
    [{ "if-unmodified-since": "Sun Nov  6 08:49:36 1994" }, 412],
    [{ "if-unmodified-since": "yesterday" }, undefined],
    [{ "if-unmodified-since": "1" }, undefined],
    [{ "if-match": '"a"', "if-unmodified-since": EARLIER }, undefined],
    [{ "if-none-match": '"a"' }, 304],
    [{ "if-none-match": '"x",W/"a"' }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": " * " }, 304],
    [{ "if-none-match": '"x"' }, undefined],
    [{ "if-none-match": '"x"', "if-modified-since": TIME }, undefined],
    [{ "if-modified-since": TIME }, 304],
    [{ "if-modified-since": "Sun Nov  6 08:49:37 1994" }, 304],
    [{ "if-modified-since": EARLIER }, undefined],
    [{ "if-modified-since": "06 Nov 1994 08:49:37 (Sun) GMT" }, undefined],
    [{ "if-modified-since": "Sun, 99 Nov 1994 08:49:37 GMT" }, undefined],
    [{ "if-match": '"x"', "if-none-match": '"a"' }, 412],
    [{ "if-match": '"a"', "if-none-match": '"a"' }, 304],
  ])("%j: %s", (headers, status) => expect(unmetCondition(headers, page)).toBe(status));

  test("of what has no name for its states can ask only whether it is there", () => {
    expect(unmetCondition({ "if-match": "*" }, {})).toBeUndefined();
    expect(unmetCondition({ "if-match": '"a"' }, {})).toBe(412);
    expect(unmetCondition({ "if-none-match": "*" }, {})).toBe(304);
    expect(unmetCondition({ "if-none-match": '"a"' }, {})).toBeUndefined();
    expect(unmetCondition({ "if-unmodified-since": EARLIER, "if-modified-since": TIME }, {})).toBeUndefined();
  });
});

describe("the range of a body of 100 bytes", () => {
  test.each([
    ["bytes=0-", 0, 99],
    ["bytes=0-0", 0, 0],
    ["bytes=99-", 99, 99],
    ["bytes=10-19", 10, 19],
    ["bytes=10-1000", 10, 99],
    ["bytes=-1", 99, 99],
    ["bytes=-1000", 0, 99],
    ["Bytes= 5-6", 5, 6],
    ["bytes= \t5-6", 5, 6],
  ])("%s", (range, first, last) => expect(parseRange({ range }, 100, page)).toEqual({ first, last }));

  test.each(["bytes=100-", "bytes=99999999-", "bytes=100-200", "bytes=-0", "bytes=-00"])("%s is none of it", (range) =>
    expect(parseRange({ range }, 100, page)).toBeNull(),
  );

  test.each([
    ...["", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=0-1,5-6", "lines=0-1", "bytes=--1"],
    ...["kilobytes=0-1", "bytes=\u00a00-1"],
  ])("%j is passed over", (range) => expect(parseRange({ range }, 100, page)).toBeUndefined());

  test("does not count by the time of a body that has none", () => {
    expect(parseRange({ range: "bytes=0-9", "if-range": TIME }, 100, {})).toBeUndefined();
  });

  test.each([
    ['"a"', true],
    [TIME, true],
    ['"x"', false],
    ['W/"a"', false],
    [EARLIER, false],
    ["Sun, 06 Nov 1994 08:49:38 GMT", false],
  ])("counts only if the body is still %s: %s", (ifRange, counts) => {
    const found = parseRange({ range: "bytes=0-9", "if-range": ifRange }, 100, page);
    expect(found).toEqual(counts ? { first: 0, last: 9 } : undefined);
  });
});
