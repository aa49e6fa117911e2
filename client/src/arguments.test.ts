import { inspect } from "node:util";
import { CLIENT_VERSION } from "./gen/version.js";
import { Shipping } from "./shipping.js";
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
  test.each(["€", "a\nb", " a ", "a ", " a", "", "a".repeat(129), "é", "\u0000", 7, null])(
    "the idempotency key %j",
    async (idempotencyKey) => {
      const options = { idempotencyKey: idempotencyKey as string };
      expect(await errorOf(server.client().shipments.create(SHIPMENT, options))).toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("idempotencyKey"),
      });
      expect(server.seen).toEqual([]);
    },
  );

  test.each(["", ".", "..", "%2e", "%2E%2e", ".%2e", "\ud800", undefined, 7, {}])("the id %j", async (id) => {
    expect(await errorOf(server.client().labels.void(id as string))).toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(/ is not a valid ID\.$/),
    });
    expect(server.seen).toEqual([]);
  });

  test.each<[name: string, input: unknown, cause: object | undefined]>([
    ["no input", undefined, undefined],
    ["what has no JSON", { reference: 1n }, { name: "TypeError" }],
    ["what holds itself", circular, { name: "TypeError" }],
    ["NaN, which JSON would turn into null", { parcel: { weight_kg: Number.NaN } }, { name: "RangeError" }],
    ["an infinite number", { parcel: { weight_kg: Number.POSITIVE_INFINITY } }, { name: "RangeError" }],
  ])("%s", async (_name, input, cause) => {
    const error = await errorOf(server.client().shipments.create(input as typeof SHIPMENT));
    const message = cause ? "The input cannot be written as JSON." : "The input is missing.";
    expect(error).toMatchObject({ code: "invalid_argument", message, ...(cause && { cause }) });
    expect("cause" in error).toBe(cause !== undefined);
    expect(server.seen).toEqual([]);
  });

  test.each([undefined, ""])("a missing key: %j", (apiKey) => {
    const options = { apiKey, baseUrl: server.baseUrl } as { apiKey: string; baseUrl: string };
    expect(() => new Shipping(options)).toThrow(`apiKey is missing: it is ${JSON.stringify(apiKey)}.`);
  });

  test.each([{}, null, "x"])("the signal %j", async (signal) => {
    const call = server.client().account.get({ signal: signal as AbortSignal });
    expect(await errorOf(call)).toMatchObject({ code: "invalid_argument", message: "signal must be an AbortSignal." });
    expect(server.seen).toEqual([]);
  });

  test.each([
    { apiKey: "" },
    { apiKey: "a b" },
    { apiKey: "a\nb" },
    { apiKey: "schlüssel" },
    { apiKey: undefined },
    { apiKey: 7 },
    { baseUrl: "" },
    { baseUrl: "/api/v1" },
    { baseUrl: "ftp://api.example.com" },
    { baseUrl: "xhttps://api.example.com" },
    { baseUrl: "https://user@api.example.com/api/v1" },
    { baseUrl: "https://:secret@api.example.com/api/v1" },
    { baseUrl: "https://api.example.com/api/v1?x=1" },
    { baseUrl: "https://api.example.com/api/v1#x" },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { timeoutMs: 2 ** 31 },
    { fetch: "x" },
    { now: Date.now() },
    { random: 1 },
  ])("the option %j", (option) => {
    const name = Object.keys(option)[0]!;
    const options = { apiKey: API_KEY, baseUrl: server.baseUrl, ...option } as { apiKey: string; baseUrl: string };
    expect(() => new Shipping(options)).toThrow(
      expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(name) }),
    );
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
