import { httpFault, isPlain, unsupportedType } from "./http-rules.js";

const isJson = (...types: string[]) => isPlain({ headersDistinct: { "content-type": types } }, "application/json");

describe("the content type", () => {
  test.each([
    ...["application/json", "Application/JSON", "application/json;charset=utf-8", "application/json; charset=utf8"],
    ...['application/json ; Charset="UTF-8"', 'application/json;\tcharset="utf8"\t ', "application/json;"],
    ...["application/json\t; ;;", "application/json;;charset=utf-8 ; "],
  ])("%j is taken", (type) => expect(isJson(type)).toBe(true));

  test.each([
    ...["", "text/plain", "application/vnd.api+json", "application/jsonp", "application/json, text/plain"],
    ...["application/json\u00a0", "application/json;\u00a0", "application/json; charset=latin1"],
    ...["application/json; x-charset=utf-8", "application/json; charset=utf-8x", 'application/json; charset="utf-8'],
    ...["application/json; charset=\u00a0utf-8", "application/json; charset=utf-8; charset=utf-8"],
    ...["application/json; profile=x", "application/x-www-form-urlencoded"],
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
  ])("%j leave the body plain", (headers) => expect(isPlainWith(headers)).toBe(true));

  test.each<Record<string, string[]>>([
    { "content-encoding": ["gzip"] },
    { "content-encoding": [""] },
    { "content-encoding": ["identity", "gzip"] },
    { "transfer-encoding": ["gzip, chunked"] },
    { "transfer-encoding": ["gzip", "chunked"] },
    { "transfer-encoding": ["identity, chunked"] },
  ])("%j are refused", (headers) => expect(isPlainWith(headers)).toBe(false));
});

test.each<[named: string, headers: Record<string, string[]>]>([
  ["The Content-Type header is missing.", {}],
  ["There are 2 Content-Type headers.", { "content-type": ["application/json", "text/plain"] }],
  ["The Content-Type is text/plain; charset=utf-8.", { "content-type": ["text/plain; charset=utf-8"] }],
  ["The Content-Type is empty.", { "content-type": [""] }],
  [`The Content-Type is a/?<b>${"x".repeat(94)}.`, { "content-type": [`a/\u00fc<b>${"x".repeat(500)}`] }],
  ["The Content-Encoding is gzip.", { "content-type": ["application/json"], "content-encoding": ["gzip"] }],
  [
    "The Transfer-Encoding is gzip,chunked.",
    { "content-type": ["application/json"], "transfer-encoding": ["gzip", "chunked"] },
  ],
])("the refusal of a type names what was sent: %s", (named, headersDistinct) => {
  const { code, message } = unsupportedType({ headersDistinct }, "application/json", "Send JSON.");
  expect([code, message]).toEqual(["unsupported_media_type", `${named} Send JSON.`]);
});

describe("a request that Node's parser takes", () => {
  const fault = (sent: { version?: string; hosts?: string[]; headers?: string[] }) => {
    const { version = "1.1", hosts = ["a.example"], headers = [] } = sent;
    const request = {
      httpVersion: version,
      rawHeaders: headers,
      headersDistinct: hosts.length > 0 ? { host: hosts } : {},
    };
    const { status, message } = httpFault(request as Parameters<typeof httpFault>[0]) ?? {};
    return status && `${status} ${message}`;
  };

  test.each([
    ...["", "a.example", "a.example:80", "a.example:", "[::1]", "[::1]:8080", "[v1.a~b!$&'()*+,;=-]", "a%2Fb%cF"],
    "A_b-c.~!$&'()*+,;=0",
  ])("is fine for the host %j", (host) => expect(fault({ hosts: [host] })).toBeUndefined());

  test.each([
    ...["a b", "a/b", "a@b", "a:8x", "a:x", "a:80:90", "%zz", "a%2", "ü", "[]", "[::1", "::1]", "x[::1]", "[::1]x"],
    ...["[::1]x:1", "[a%41]"],
  ])("is refused for the host %j", (host) =>
    expect(fault({ hosts: [host] })).toBe("400 The Host header is not a valid host."),
  );

  test("has one Host header, or none in HTTP/1.0", () => {
    expect(fault({ hosts: [] })).toBe("400 Send exactly one Host header.");
    expect(fault({ hosts: ["a", "a"] })).toBe("400 Send exactly one Host header.");
    expect(fault({ hosts: ["a", "a"], version: "1.0" })).toBe("400 Send exactly one Host header.");
    expect(fault({ hosts: [], version: "1.0" })).toBeUndefined();
  });

  test.each(["1.2", "2.0", "0.9", ""])("is of no other version, such as %j", (version) =>
    expect(fault({ version })).toBe("400 The protocol must be HTTP/1.1 or HTTP/1.0."),
  );

  test("has header names that HTTP allows, and any values", () => {
    const refused = "400 A header name contains a character that HTTP does not allow. Remove it.";
    expect(fault({ headers: ["a", "1", "b c", "2"] })).toBe(refused);
    expect(fault({ headers: ["", "1"] })).toBe(refused);
    expect(fault({ headers: ["a", "", "b", "with blanks"] })).toBeUndefined();
  });

  test("has at most a thousand headers", () => {
    const headers = (count: number) => Array.from({ length: 2 * count }, () => "x");
    expect(fault({ headers: headers(1_000) })).toBeUndefined();
    expect(fault({ headers: headers(1_001) })).toBe("431 The request headers are too large. Send at most 16 KiB.");
  });
});
