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

const NOWHERE = "http://127.0.0.1:1/api/v1";

function errorOfMaking(options?: object): Error {
  try {
    new Shipping(options);
  } catch (error) {
    return error as Error;
  }
  throw new Error("A client was made.");
}

test.each([
  ...["", "a b", "a\nb", "schlüssel", undefined, 7].map((apiKey) => ({ apiKey })),
  ...["", undefined, "/api/v1", "ftp://api.example.com", "xhttps://api.example.com"].map((baseUrl) => ({ baseUrl })),
  ...["https://user@api.example.com/api/v1", "https://:secret@api.example.com/api/v1"].map((baseUrl) => ({ baseUrl })),
  ...["https://api.example.com/api/v1?x=1", "https://api.example.com/api/v1#x"].map((baseUrl) => ({ baseUrl })),
  ...[-1, 1.5].map((maxRetries) => ({ maxRetries })),
  ...[0, Number.NaN, 2 ** 31].map((timeoutMs) => ({ timeoutMs })),
  ...[
    { fetch: "x" },
    { now: Date.now() },
    { random: 1 },
    { onRequest: "log" },
    { onResponse: "log" },
    { allowHttp: "yes" },
  ],
])("the option %j is refused, although the environment has a key and a base URL", (option) => {
  Object.assign(process.env, { SHIPPING_KEY: API_KEY, SHIPPING_URL: server.baseUrl });
  const message = expect.stringMatching(new RegExp(`^${Object.keys(option)[0]} (must be|is missing)`));
  expect(errorOfMaking(option)).toMatchObject({ code: "invalid_argument", message });
});

describe("without options", () => {
  test("the key and the base URL are the environment's", async () => {
    Object.assign(process.env, { SHIPPING_KEY: API_KEY, SHIPPING_URL: server.baseUrl });
    await new Shipping().account.get();
    expect(server.seen).toMatchObject([{ path: "/api/v1/account", headers: { authorization: `Bearer ${API_KEY}` } }]);
  });

  test.each<[env: Record<string, string>, message: string]>([
    [{}, "Missing: apiKey or SHIPPING_KEY, and baseUrl or SHIPPING_URL."],
    [{ SHIPPING_KEY: API_KEY }, "Missing: baseUrl or SHIPPING_URL."],
    [{ SHIPPING_URL: NOWHERE, SHIPPING_KEY: "" }, "Missing: apiKey or SHIPPING_KEY."],
    [{ SHIPPING_KEY: `${API_KEY}\n`, SHIPPING_URL: NOWHERE }, "SHIPPING_KEY must be an API key"],
    [{ SHIPPING_KEY: API_KEY, SHIPPING_URL: "127.0.0.1" }, "SHIPPING_URL must be an http or https URL"],
  ])("%j is refused, what is wrong is named, and the key is not", (env, message) => {
    Object.assign(process.env, env);
    const error = errorOfMaking();
    expect(error).toMatchObject({ code: "invalid_argument", message: expect.stringContaining(message) });
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toContain(API_KEY);
  });
});

test("http is only for loopback, unless the client is told otherwise", () => {
  const made = (baseUrl: string, options: ShippingOptions = {}) =>
    new Shipping({ apiKey: API_KEY, baseUrl, ...options });
  for (const host of ["localhost:8080", "LOCALHOST", "127.0.0.1:1", "127.100.20.255", "127.1", "[::1]:8080"])
    expect(made(`http://${host}/api/v1`)).toBeInstanceOf(Shipping);
  const names = ["api.example.com", "localhost.example.com", "notlocalhost", "127.0.0.1.example.com"];
  for (const host of [...names, "10.0.0.1", "[::2]", "0.0.0.0"]) {
    expect(errorOfMaking({ apiKey: API_KEY, baseUrl: `http://${host}/api/v1` }).message).toBe(
      "baseUrl must be https, otherwise others can read your API key. To use http anyway, pass allowHttp.",
    );
    expect(made(`http://${host}/api/v1`, { allowHttp: true })).toBeInstanceOf(Shipping);
    expect(made(`https://${host}/api/v1`)).toBeInstanceOf(Shipping);
  }
});

test("an option goes before the environment, even if it is inherited", async () => {
  Object.assign(process.env, { SHIPPING_KEY: "service_test_other", SHIPPING_URL: NOWHERE });
  await new Shipping(Object.create({ apiKey: API_KEY, baseUrl: server.baseUrl })).account.get();
  expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
});

const hidden = {
  get env() {
    throw new Error("NotCapable");
  },
};
test.each([
  ["no process", undefined],
  ["no environment", {}],
  ["an environment that it does not show", hidden],
])("a runtime with %s is told what is missing", (_what, instead) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "process")!;
  Object.defineProperty(globalThis, "process", { value: instead, configurable: true });
  try {
    expect(errorOfMaking().message).toContain("Missing: apiKey or SHIPPING_KEY, and baseUrl or SHIPPING_URL.");
  } finally {
    Object.defineProperty(globalThis, "process", own);
  }
});
