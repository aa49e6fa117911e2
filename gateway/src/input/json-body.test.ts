import { parseJsonBody } from "./json-body.js";
import { NONE_LOST } from "./lost-numbers.js";

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("a JSON body", () => {
  test.each(["", " ", "{", "{'a':1}", "NaN", "[1,]", "{} {}", "\ufeff{}", "undefined"])("400 for %j", (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "invalid_json" }));
  });

  test.each([[[0xff]], [[0x22, 0xc3, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]]])(
    "400 for the bytes %j: not UTF-8",
    (bytes) => {
      expect(() => parseJsonBody(Buffer.from(bytes))).toThrow(expect.objectContaining({ code: "invalid_json" }));
    },
  );

  test("of duplicate members the last one counts", () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, lost: NONE_LOST });
  });

  test("32 levels are taken, 33 are a 422 of the path body", () => {
    expect(parse(deep(32))).toBeDefined();
    expect(() => parse(deep(33))).toThrow(
      expect.objectContaining({ code: "invalid_request", fields: [expect.objectContaining({ path: "body" })] }),
    );
  });

  test("as many levels as fit into a body overflow nothing, and what is not JSON stays a 400", () => {
    expect(() => parse(deep(32_768))).toThrow(expect.objectContaining({ code: "invalid_request" }));
    expect(() => parse("[".repeat(65_536))).toThrow(expect.objectContaining({ code: "invalid_json" }));
  });

  test("says where its numbers are not as sent, unless it is refused as a whole", () => {
    expect(parse('{"a":[0,1e400]}')).toEqual({
      value: { a: [0, Number.POSITIVE_INFINITY] },
      lost: { places: [["a", 1]], more: 0 },
    });
    expect(() => parse(deep(33).replace("[]", "[1e400]"))).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });

  test("brackets in strings are no levels", () => {
    const text = JSON.stringify({ a: `${"[".repeat(40)}\\"{`, "{{": [`\\${"{".repeat(40)}`] });
    expect(parse(text)).toEqual({ value: JSON.parse(text), lost: NONE_LOST });
  });
});
