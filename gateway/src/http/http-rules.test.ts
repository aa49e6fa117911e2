import { isPlain } from "./http-rules.js";

const isJson = (...types: string[]) => isPlain({ headersDistinct: { "content-type": types } }, "application/json");

describe("the content type", () => {
  test.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    'application/json ; Charset="UTF-8"',
    "application/json; charset=utf8",
    "application/json;",
    "application/json\t; ;;",
    "application/json;;charset=utf-8 ; ",
  ])("%j is taken", (type) => expect(isJson(type)).toBe(true));

  test.each([
    "",
    "text/plain",
    "application/vnd.api+json",
    "application/jsonp",
    "application/json, text/plain",
    "application/json\u00a0",
    "application/json;\u00a0",
    "application/json; charset=latin1",
    "application/json; charset=utf-8; charset=utf-8",
    "application/json; profile=x",
    "application/x-www-form-urlencoded",
  ])("%j is refused", (type) => expect(isJson(type)).toBe(false));

  test("none is refused, and so are two", () => {
    expect(isPlain({ headersDistinct: {} }, "application/json")).toBe(false);
    expect(isJson("application/json", "application/json")).toBe(false);
  });
});

describe("the codings", () => {
  const isPlainWith = (headers: Record<string, string[]>) =>
    isPlain({ headersDistinct: { "content-type": ["text/plain"], ...headers } }, "text/plain");

  test.each<Record<string, string[]>>([
    {},
    { "content-encoding": ["identity"] },
    { "content-encoding": ["IDENTITY"], "transfer-encoding": ["Chunked"] },
  ])("%j change nothing", (headers) => expect(isPlainWith(headers)).toBe(true));

  test.each<Record<string, string[]>>([
    { "content-encoding": ["gzip"] },
    { "content-encoding": [""] },
    { "content-encoding": ["identity", "gzip"] },
    { "transfer-encoding": ["gzip, chunked"] },
    { "transfer-encoding": ["gzip", "chunked"] },
    { "transfer-encoding": ["identity, chunked"] },
  ])("%j are refused", (headers) => expect(isPlainWith(headers)).toBe(false));
});
