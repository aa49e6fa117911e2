import { inspect } from "node:util";
import type { ReadOptions } from "./shipping.js";
import {
  API_KEY,
  drop,
  errorOf,
  type Loopback,
  loopback,
  ok,
  page,
  refusal,
  SHIPMENT,
  silence,
} from "./testing/loopback.js";

let server: Loopback;
afterEach(() => server[Symbol.asyncDispose]());

describe("retries of one call", () => {
  test("0 sends it once, whatever the client's maxRetries", async () => {
    server = await loopback(drop);
    const error = await errorOf(server.client().shipments.create(SHIPMENT, { retries: 0 }));
    expect(error).toMatchObject({ code: "connection_failed" });
    expect(server.seen).toHaveLength(1);
  });

  test("2 of a client that has none, with one idempotency key", async () => {
    server = await loopback(refusal(503, "service_unavailable"), drop, ok({ id: "shp_1" }));
    await server.client({ maxRetries: 0 }).shipments.create(SHIPMENT, { retries: 2 });
    expect(new Set(server.seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(server.seen).toHaveLength(3);
  });

  test("are no other call's", async () => {
    server = await loopback(refusal(503, "service_unavailable"));
    const shipping = server.client({ maxRetries: 0 });
    await errorOf(shipping.account.get({ retries: 1 }));
    await errorOf(shipping.account.get());
    expect(server.seen).toHaveLength(3);
  });
});

describe("timeoutMs of one call", () => {
  test("ends an attempt, and the error says how long it was", async () => {
    server = await loopback(silence);
    expect(await errorOf(server.client().account.get({ timeoutMs: 30, retries: 0 }))).toMatchObject({
      code: "timed_out",
      message: "No complete response within 30 ms.",
    });
  });

  test("may be longer than the client's", async () => {
    server = await loopback((response, seen) => void setTimeout(() => ok({}, {}, 200)(response, seen), 100));
    const shipping = server.client({ timeoutMs: 20, maxRetries: 0 });
    expect(await errorOf(shipping.account.get())).toMatchObject({ code: "timed_out" });
    expect(await shipping.account.get({ timeoutMs: 2 ** 31 - 1 })).toEqual({});
  });
});

describe("headers of one call", () => {
  test("go out with every attempt, beside the client's own", async () => {
    server = await loopback(refusal(503, "service_unavailable"), ok({}));
    await server.client().shipments.create(SHIPMENT, { headers: { TraceParent: "00-1-2-01", "x-none": undefined } });
    expect(server.seen).toHaveLength(2);
    for (const { headers } of server.seen) {
      expect(headers).toMatchObject({ traceparent: "00-1-2-01", "content-type": "application/json" });
      expect(headers.authorization).toBe(`Bearer ${API_KEY}`);
      expect(headers).not.toHaveProperty("x-none");
    }
  });

  const others = ["content-type", "Accept", "User-Agent", "Host", "Content-Length", "Transfer-Encoding"]
    .concat("Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Expect")
    .map((name) => [name, "the client sets it"]);
  test.each([
    ["Authorization", "use the client's option apiKey"],
    ["Idempotency-Key", "use the option idempotencyKey"],
    ...others,
  ])("cannot set %s", async (name = "", instead = "") => {
    server = await loopback(ok({}));
    const error = await errorOf(server.client().account.get({ headers: { [name]: "hunter2" } }));
    expect(error).toMatchObject({ code: "invalid_argument", message: expect.stringContaining(instead) });
    expect(inspect(error)).not.toContain("hunter2");
    expect(server.seen).toEqual([]);
  });

  test.each<[headers: unknown]>([
    [{ "a b": "1" }],
    [{ "": "1" }],
    [{ a: "x\ny" }],
    [{ a: " x" }],
    [{ a: "" }],
    [{ a: "€" }],
    [{ a: 1 }],
    [{ a: "1", A: "2" }],
    [new Headers({ a: "1" })],
    [[["a", "1"]]],
    ["a: 1"],
    [null],
  ])("are refused before anything is sent: %j", async (headers) => {
    server = await loopback(ok({}));
    const options = { headers } as ReadOptions;
    expect(await errorOf(server.client().account.get(options))).toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(/^headers/),
    });
    expect(server.seen).toEqual([]);
  });
});

test.each<[options: ReadOptions]>([
  [{ timeoutMs: 0 }],
  [{ timeoutMs: Number.NaN }],
  [{ timeoutMs: 2 ** 31 }],
  [{ timeoutMs: "5" as unknown as number }],
  [{ retries: -1 }],
  [{ retries: 0.5 }],
])("%j is refused before anything is sent", async (options) => {
  server = await loopback(ok({}));
  const message = expect.stringContaining(Object.keys(options)[0]!);
  expect(await errorOf(server.client().labels.void("lbl_1", options))).toMatchObject({
    code: "invalid_argument",
    message,
  });
  expect(server.seen).toEqual([]);
});

test("every page of a list has the list's options, and a page its own before them", async () => {
  server = await loopback(page([{ id: "a" }], "a"), page([], null));
  const list = server.client().labels.list({ headers: { "x-job": "1" }, retries: 0, limit: 7 });
  for await (const { id } of list) expect(id).toBe("a");
  await list.page({ headers: { "x-job": "2" }, limit: undefined });
  expect(server.seen.map(({ headers }) => headers["x-job"])).toEqual(["1", "1", "2"]);
  expect(server.seen.map(({ path }) => path?.split("?")[1])).toEqual(["limit=7", "limit=7&after=a", "limit=7"]);
});

describe("request", () => {
  test("returns the body as the API sent it, and retries as the other calls do", async () => {
    server = await loopback(drop, ok({ id: "shp_1", added: [1] }));
    const { data, response } = await server
      .client()
      .request({ method: "POST", path: ["shipments"], body: SHIPMENT }, { idempotencyKey: "a key" })
      .withResponse();
    expect(JSON.parse(new TextDecoder().decode(data.bytes))).toMatchObject({ data: { id: "shp_1", added: [1] } });
    expect(data.contentType).toContain("application/json");
    expect(response).toMatchObject({ idempotencyKey: "a key", replayed: false });
    expect(server.seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["a key", "a key"]);
  });

  test("fails with the error of the API", async () => {
    server = await loopback(refusal(404, "not_found"));
    const error = await errorOf(server.client().request({ method: "GET", path: ["orders", "ord_1"], query: { a: 1 } }));
    expect(error).toMatchObject({ code: "not_found", status: 404 });
    expect(server.seen[0]?.path).toMatch(/\/orders\/ord_1\?a=1$/);
  });
});

test("a wait above maxWaitSeconds fails the call at once", async () => {
  server = await loopback(refusal(429, "rate_limited", { "retry-after": "6" }));
  const error = await errorOf(server.client({ maxWaitSeconds: 5 }).account.get());
  expect(error).toMatchObject({ code: "rate_limited", retryAfterSeconds: 6 });
  expect(server.seen).toHaveLength(1);
});
