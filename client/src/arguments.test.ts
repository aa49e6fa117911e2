import { inspect } from "node:util";
import { CLIENT_VERSION } from "./gen/version.js";
import { Shipping, type WriteOptions } from "./shipping.js";
import { API_KEY, errorOf, type Loopback, loopback, ok, SHIPMENT } from "./testing/loopback.js";

const circular: unknown[] = [];
circular.push(circular);

let server: Loopback;
beforeAll(async () => {
  server = await loopback(ok({}));
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => void server.seen.splice(0));

describe("refused before anything is sent", () => {
  async function refuses(message: RegExp, call: (shipping: Shipping) => Promise<unknown>) {
    const error = await errorOf(call(server.client()));
    expect(error).toMatchObject({ code: "invalid_argument", message: expect.stringMatching(message) });
    expect(inspect(error)).not.toContain("hunter2");
    expect(server.seen).toEqual([]);
    return error;
  }

  test.each(["€", "a\nb", " a", "a ", "", "a".repeat(129), "é", "\u0000", 7, null])(
    "the idempotency key %j",
    async (idempotencyKey) => {
      const options = { idempotencyKey } as WriteOptions;
      await refuses(/^idempotencyKey must/, ({ shipments }) => shipments.create(SHIPMENT, options));
    },
  );

  test.each(["", ".", "..", "%2e", "%2E%2e", ".%2e", "\ud800", undefined, 7, {}])("the id %j", async (id) => {
    await refuses(/ is not a valid ID\.$/, ({ labels }) => labels.void(id as string));
  });

  test.each<[name: string, input: unknown, cause: string]>([
    ["what has no JSON", { reference: 1n }, "TypeError"],
    ["what holds itself", circular, "TypeError"],
    ["NaN, which JSON would turn into null", { parcel: { weight_kg: Number.NaN } }, "RangeError"],
    ["an infinite number", { parcel: { weight_kg: Number.POSITIVE_INFINITY } }, "RangeError"],
  ])("%s", async (_name, input, cause) => {
    const create = ({ shipments }: Shipping) => shipments.create(input as typeof SHIPMENT);
    expect(await refuses(/^The input cannot be written as JSON: [^\n]+$/, create)).toMatchObject({
      cause: { name: cause },
    });
  });

  test("no input", async () => {
    const create = ({ shipments }: Shipping) => shipments.create(undefined as unknown as typeof SHIPMENT);
    expect(await refuses(/^The input is missing\.$/, create)).not.toHaveProperty("cause");
  });

  const others = ["content-type", "Accept", "User-Agent", "Host", "Content-Length", "Transfer-Encoding"]
    .concat("Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Expect")
    .map((name) => ({ headers: { [name]: "hunter2" }, message: /^headers cannot set .*: the client sets it\.$/ }));
  test.each<{ headers: unknown; message?: RegExp }>([
    { headers: { Authorization: "hunter2" }, message: /: use the client's option apiKey\.$/ },
    { headers: { "Idempotency-Key": "hunter2" }, message: /: use the option idempotencyKey\.$/ },
    ...others,
    ...[{ "a b": "hunter2" }, { "": "1" }, { a: "hunter2\ny" }, { a: " x" }, { a: "" }].map((headers) => ({ headers })),
    ...[{ a: "€" }, { a: 1 }, { a: "1", A: "2" }, new Headers({ a: "1" }), [["a", "1"]], "a: 1", null].map(
      (headers) => ({
        headers,
      }),
    ),
  ])("headers of one call: %j", async ({ headers, message = /^headers/ }) => {
    await refuses(message, ({ account }) => account.get({ headers } as WriteOptions));
  });

  test.each([
    ...[0, Number.NaN, 2 ** 31, "5"].map((timeoutMs) => ({ timeoutMs })),
    ...[-1, 0.5].map((retries) => ({ retries })),
    ...[{}, null, "x"].map((signal) => ({ signal })),
  ])("the option %j of one call", async (option) => {
    const [name = ""] = Object.keys(option);
    await refuses(new RegExp(`^${name} must be`), ({ labels }) => labels.void("lbl_1", option as WriteOptions));
  });
});

describe("taken as they are", () => {
  test("keys of 1 and 128 characters, with spaces inside", async () => {
    for (const idempotencyKey of ["a", "~", "order 7 / label", "a".repeat(128)]) {
      await server.client().shipments.create(SHIPMENT, { idempotencyKey });
      expect(server.seen.at(-1)?.headers["idempotency-key"]).toBe(idempotencyKey);
    }
  });

  test.each([
    ["a/b", "/api/v1/labels/a%2Fb"],
    ["%2e%2e/x", "/api/v1/labels/%252e%252e%2Fx"],
    ["a?b#c", "/api/v1/labels/a%3Fb%23c"],
    ["...", "/api/v1/labels/..."],
  ])("the id %j stays one segment", async (id, path) => {
    await server.client().labels.get(id);
    expect(server.seen.at(-1)?.path).toBe(path);
  });

  test("a base URL with slashes at its end", async () => {
    await server.client({ baseUrl: `${server.baseUrl}//` }).account.get();
    expect(server.seen.at(-1)?.path).toBe("/api/v1/account");
  });

  test("undefined without an argument", async () => {
    const { to, ...rest } = SHIPMENT;
    const input = { ...rest, to: { ...to, company: undefined }, metadata: undefined };
    await server.client().shipments.create(input, { idempotencyKey: undefined, signal: undefined });
    expect(JSON.parse(server.seen.at(-1)?.body ?? "")).toEqual(SHIPMENT);
  });
});

describe("the API key", () => {
  const options = { depth: Number.POSITIVE_INFINITY, showHidden: true };

  test("is sent as a bearer token, and appears nowhere else", async () => {
    const shipping = server.client();
    await shipping.account.get();
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      accept: "application/json, application/pdf",
      "user-agent": `shipping-client/${CLIENT_VERSION}`,
    });
    expect(inspect(shipping, options)).not.toContain(API_KEY);
    expect(JSON.stringify(shipping)).not.toContain(API_KEY);
  });

  test("is in no error", async () => {
    const unreachable = new Shipping({ apiKey: API_KEY, baseUrl: "http://127.0.0.1:1/api/v1", maxRetries: 0 });
    const error = await errorOf(unreachable.account.get());
    expect(error).toMatchObject({ code: "connection_failed" });
    expect(inspect(error, options)).not.toContain(API_KEY);
  });
});
