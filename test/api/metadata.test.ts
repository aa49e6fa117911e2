import { type ApiAnswer, type ApiClient, type Order, refusal } from "../platform/api-client.js";
import { RECORD, usePlatform } from "./platform.js";

const platform = usePlatform();

describe.each(["/orders", "/shipments"])("the metadata of POST %s", (path) => {
  let api: ApiClient;
  beforeEach(async () => {
    api = await platform.sandbox();
  });

  /** Sends the record with this JSON text as its metadata. */
  const post = (text: string): Promise<ApiAnswer<Order>> =>
    api.post(
      path,
      JSON.stringify({ ...RECORD, metadata: 0 }).replace('"metadata":0', () => `"metadata":${text}`),
    );

  async function expectReturned(text: string) {
    const created = await post(text);
    expect(created.status).toBe(201);
    const read = await api.get<Order>(`${path}/${created.body.data.id}`);
    for (const { body } of [created, read]) expect(body.data.metadata).toStrictEqual(JSON.parse(text));
    // The text is compared, too: a matcher may take an own member named __proto__ for the prototype.
    for (const { bytes } of [created, read]) expect(bytes.toString()).toContain(JSON.stringify(JSON.parse(text)));
  }

  test.each([
    ["an empty object", "{}"],
    ["every type", '{"a":null,"b":true,"c":-1.5e-7,"d":"x","e":[],"f":{},"g":[[1],{"h":[2]}]}'],
    ["a member named __proto__", '{"__proto__":{"admin":true},"a":{"__proto__":[1]}}'],
    ["members named as those of all objects", '{"constructor":1,"toString":"x","hasOwnProperty":null,"":0}'],
    ["a member named toJSON", '{"toJSON":"x","then":1}'],
    ["escapes", String.raw`{"a\"b\\c":"\"\\\/\t\r\n\u00e9\u2028\u2029</script>"}`],
    ["astral characters, plain and escaped", String.raw`{"😀":"\ud83d\ude00 𝄞","é":"é"}`],
    ["numbers at the bounds", "[9007199254740991,5e-324,1.7976931348623157e308,0.1]".replace(/.*/, '{"n":$&}')],
    ["members that look like numbers", '{"b":1,"2":2,"1":3,"-1":4,"a":5}'],
    ["words of the API itself", '{"text":"x","metadata":{"id":"y"},"object":"order","data":[]}'],
  ])("201 with %s, returned deep-equal", (_what, text) => expectReturned(text));

  test("201 for the last of duplicate members", async () => {
    expect((await post('{"a":1,"a":2}')).body.data.metadata).toEqual({ a: 2 });
  });

  // {"m":"…"} is eight characters around the text.
  test.each([
    ["plain ones", "x", 1],
    ["astral ones, each counted once", "😀", 1],
    ["line breaks, each counted as the two of its escape", "\n", 2],
    ["quotes, each counted as the two of its escape", '"', 2],
  ])("201 for 4096 characters when serialized, 422 for 4097: %s", async (_what, character, each) => {
    const sized = (size: number) => {
      const count = Math.floor((size - 8) / each);
      return JSON.stringify({ m: character.repeat(count) + "x".repeat(size - 8 - count * each) });
    };
    await expectReturned(sized(4096));
    expect(refusal(await post(sized(4097)))).toBe("422 invalid_request metadata");
  });

  test("201 for 4096 characters when serialized that came as more: white space and escapes do not count", async () => {
    const text = `{ ${" ".repeat(5_000)}"m": "${String.raw`\u0078`.repeat(4_088)}" }`;
    const { status, body } = await post(text);
    expect([status, body.data.metadata]).toEqual([201, { m: "x".repeat(4_088) }]);
  });

  test.each([
    ["objects", (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`],
    ["arrays", (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`],
  ])("201 for 16 levels, 422 for 17: %s", async (_what, nested) => {
    await expectReturned(nested(16));
    expect(refusal(await post(nested(17)))).toBe("422 invalid_request metadata");
  });

  test.each([
    ["null", "null"],
    ["an array", "[]"],
    ["a string", '"{}"'],
    ["a number", "1"],
    ["a boolean", "false"],
    ["U+0000 in a value", String.raw`{"a":"\u0000"}`],
    ["U+0000 in a name", String.raw`{"a":{"b\u0000":1}}`],
    ["another control character", String.raw`{"a":["\u0007"]}`],
    ["a lone surrogate in a value", String.raw`{"a":"\ud83d"}`],
    ["a lone surrogate in a name", String.raw`{"\ude00":1}`],
  ])("422 for %s", async (_what, text) => {
    expect(refusal(await post(text))).toBe("422 invalid_request metadata");
  });

  test.each([
    ['{"a":[1e400]}', "metadata.a.0"],
    ['{"a":{"b":12345678901234567890}}', "metadata.a.b"],
    ['{"a":9007199254740993,"b.c":[{"":1e-400}]}', 'metadata.a metadata.b.c.0.""'],
    ['{"a":"\\u0000","b":9007199254740993}', "metadata metadata.b"],
  ])("422 for numbers that double precision does not keep, by their paths: %s", async (text, paths) => {
    expect(refusal(await post(text))).toBe(`422 invalid_request ${paths}`);
  });

  test("201 for numbers that it keeps, however they are written, returned as those numbers", async () => {
    const text =
      '{"a":[12345678901234567000,12345678901234567168,9007199254740992,1.50,1E2,-0.0,5e-324,100000000000000000000000,67.200000000000003]}';
    const { data } = (await post(text)).body;
    expect(JSON.stringify(data.metadata)).toBe(
      '{"a":[12345678901234567000,12345678901234567000,9007199254740992,1.5,100,0,5e-324,1e+23,67.2]}',
    );
  });
});
