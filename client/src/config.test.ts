import { inspect } from "node:util";
import { Shipping, type ShippingOptions } from "./shipping.js";
import { API_KEY, type Loopback, loopback, ok } from "./testing/loopback.js";

let server: Loopback;
beforeAll(async () => {
  server = await loopback(ok({}));
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.seen.splice(0);
  delete process.env.SHIPPING_KEY;
  delete process.env.SHIPPING_URL;
});

function errorOfMaking(options?: ShippingOptions): Error {
  try {
    new Shipping(options);
  } catch (error) {
    return error as Error;
  }
  throw new Error("A client was made.");
}

describe("without options", () => {
  test("the key and the base URL are the environment's", async () => {
    Object.assign(process.env, { SHIPPING_KEY: API_KEY, SHIPPING_URL: server.baseUrl });
    await new Shipping().account.get();
    expect(server.seen).toMatchObject([{ path: "/api/v1/account", headers: { authorization: `Bearer ${API_KEY}` } }]);
  });

  test.each<[env: Record<string, string>, message: string]>([
    [{}, "Missing: apiKey or SHIPPING_KEY, and baseUrl or SHIPPING_URL."],
    [{ SHIPPING_KEY: API_KEY }, "Missing: baseUrl or SHIPPING_URL."],
    [{ SHIPPING_URL: "http://127.0.0.1:1/api/v1", SHIPPING_KEY: "" }, "Missing: apiKey or SHIPPING_KEY."],
    [{ SHIPPING_KEY: `${API_KEY}\n`, SHIPPING_URL: "http://127.0.0.1:1/api/v1" }, "SHIPPING_KEY must be an API key"],
    [{ SHIPPING_KEY: API_KEY, SHIPPING_URL: "127.0.0.1" }, "SHIPPING_URL must be an http or https URL"],
    [{ SHIPPING_KEY: API_KEY, SHIPPING_URL: "http://10.0.0.1/api/v1" }, "SHIPPING_URL must be https"],
  ])("%j is refused, what is wrong is named, and the key is not", (env, message) => {
    Object.assign(process.env, env);
    const error = errorOfMaking();
    expect(error).toMatchObject({ code: "invalid_argument", message: expect.stringContaining(message) });
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain(API_KEY);
  });
});

describe("http", () => {
  const made = (baseUrl: string, options: ShippingOptions = {}) =>
    new Shipping({ apiKey: API_KEY, baseUrl, ...options });

  test("is only for loopback, unless the client is told otherwise", () => {
    for (const host of [
      "localhost:8080",
      "LOCALHOST",
      "127.0.0.1:1",
      "127.9.8.7",
      "127.100.20.255",
      "127.1",
      "[::1]:8080",
    ])
      expect(made(`http://${host}/api/v1`)).toBeInstanceOf(Shipping);
    const others = [
      "api.example.com",
      "localhost.example.com",
      "notlocalhost",
      "127.0.0.1.example.com",
      "10.0.0.1",
      "[::2]",
      "0.0.0.0",
    ];
    for (const host of others) {
      expect(errorOfMaking({ apiKey: API_KEY, baseUrl: `http://${host}/api/v1` }).message).toBe(
        "baseUrl must be https, otherwise others can read your API key. To use http anyway, pass allowHttp.",
      );
      expect(made(`http://${host}/api/v1`, { allowHttp: true })).toBeInstanceOf(Shipping);
      expect(made(`https://${host}/api/v1`)).toBeInstanceOf(Shipping);
    }
    const allowHttp = "yes" as unknown as boolean;
    expect(errorOfMaking({ apiKey: API_KEY, baseUrl: "https://x", allowHttp }).message).toContain("allowHttp must be");
  });
});

describe("an option", () => {
  test("goes before the environment", async () => {
    Object.assign(process.env, { SHIPPING_KEY: "service_test_other", SHIPPING_URL: "http://127.0.0.1:1/api/v1" });
    await new Shipping({ apiKey: API_KEY, baseUrl: server.baseUrl }).account.get();
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
  });

  test("that is inherited counts too", async () => {
    process.env.SHIPPING_KEY = "service_test_other";
    await new Shipping(Object.create({ apiKey: API_KEY, baseUrl: server.baseUrl })).account.get();
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
  });

  test("that is given as undefined is refused: the environment's key may be another account's", () => {
    Object.assign(process.env, { SHIPPING_KEY: API_KEY, SHIPPING_URL: server.baseUrl });
    const unset: Record<string, string> = {};
    expect(errorOfMaking({ apiKey: unset.SHIPPING_LIVE_KEY! })).toMatchObject({ code: "invalid_argument" });
    expect(errorOfMaking({ baseUrl: unset.SHIPPING_LIVE_URL! }).message).toMatch(/^baseUrl must be/);
  });
});

test.each([
  ["no process", undefined],
  ["no environment", {}],
  [
    "an environment that it does not show",
    {
      get env() {
        throw new Error("NotCapable");
      },
    },
  ],
])("a runtime with %s is told what is missing", (_what, instead) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "process")!;
  Object.defineProperty(globalThis, "process", { value: instead, configurable: true });
  try {
    expect(errorOfMaking().message).toContain("Missing: apiKey or SHIPPING_KEY, and baseUrl or SHIPPING_URL.");
  } finally {
    Object.defineProperty(globalThis, "process", own);
  }
});
