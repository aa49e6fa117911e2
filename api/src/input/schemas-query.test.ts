import { Failure } from "@shipping/kit/errors";
import { orderId, pageQuery } from "./schemas.js";
import { validQuery } from "./validate.js";

/** The faults of a query, by parameter. */
function inQuery(query: string): Record<string, string> {
  try {
    validQuery(pageQuery(orderId), `/orders${query}`);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "invalid_request") throw error;
    return Object.fromEntries(error.fields.map(({ path, message }) => [path, message]));
  }
  return {};
}

describe("a list's query", () => {
  const after = "ord_mfrggzdfmztwq2lknnwg23tpoa";

  test("limit is 25 unless given", () => {
    expect(validQuery(pageQuery(orderId), "/orders")).toEqual({ limit: 25 });
    expect(validQuery(pageQuery(orderId), `/orders?limit=100&after=${after}`)).toEqual({ limit: 100, after });
  });

  test.each(["0", "101", "1e2", "-1", "+5", "1.0", "0x10", "007", " 5", "all", "99999999999999999999", "%31%20"])(
    "limit=%s: 422",
    (limit) => {
      expect(inQuery(`?limit=${limit}`)).toEqual({ limit: "must be an integer from 1 to 100" });
    },
  );

  test.each([
    ["", "empty"],
    ["null", "null"],
    ["undefined", "undefined"],
    ["None", "None"],
    ["0", "0"],
    ["1", "1"],
  ])("after=%s is left out for the first page, as is limit without a value", (value, shown) => {
    expect(inQuery(`?after=${value}`)).toEqual({ after: `is ${shown}: omit it for the first page` });
    const limit = /\d/.test(value) ? {} : { limit: `is ${shown}: omit it for 25 records` };
    if (value !== "1") expect(inQuery(`?limit=${value}`)).toMatchObject(limit);
  });

  test.each([
    "x",
    "shp_mfrggzdfmztwq2lknnwg23tpoa",
    "ord_mfrggzdfmztwq2lknnwg23tpob",
    "ord_MFRGGZDFMZTWQ2LKNNWG23TPOA",
  ])("after=%s: 422", (id) => expect(Object.keys(inQuery(`?after=${id}`))).toEqual(["after"]));

  test("unknown and repeated parameters: 422", () => {
    expect(Object.keys(inQuery("?page=2&constructor=1&__proto__=1"))).toEqual(["page", "constructor", "__proto__"]);
    expect(inQuery("?limit=1&limit=2")).toEqual({ limit: "must not be repeated: send it once" });
    expect(inQuery("?limit[]=1")).toHaveProperty(["limit[]"]);
    expect(inQuery("?per_page=5&next_cursor=x")).toEqual({
      per_page: "is not a known parameter: did you mean limit?",
      next_cursor: "is not a known parameter: did you mean after?",
    });
  });

  test.each(["%zz", "%ff", "limit=%", "%c3%28=1"])("?%s cannot be decoded: 422", (query) => {
    expect(inQuery(`?${query}`)).toEqual({ query: "must be percent-encoded UTF-8" });
  });

  test("an encoded parameter is decoded", () => {
    expect(validQuery(pageQuery(orderId), "/orders?lim%69t=%35&")).toEqual({ limit: 5 });
  });
});
