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

test("retries of one call: 0 sends it once, whatever the client's maxRetries; 2 sends it thrice with one idempotency key", async () => {
  server = await loopback(drop);
  const once = server.client().shipments.create(SHIPMENT, { retries: 0 });
  expect(await errorOf(once)).toMatchObject({ code: "connection_failed" });
  expect(server.seen).toHaveLength(1);
  const shipping = server.client({ maxRetries: 0 });
  await errorOf(shipping.shipments.create(SHIPMENT, { retries: 2 }));
  expect(server.seen).toHaveLength(4);
  expect(new Set(server.seen.slice(1).map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  await errorOf(shipping.account.get());
  expect(server.seen).toHaveLength(5);
});

test("timeoutMs of one call may be shorter or longer than the client's, and the error says how long it was", async () => {
  server = await loopback(
    silence,
    silence,
    (response, seen) => void setTimeout(() => ok({}, {}, 200)(response, seen), 100),
  );
  const shipping = server.client({ timeoutMs: 20, maxRetries: 0 });
  for (const timeoutMs of [30, undefined])
    expect(await errorOf(shipping.account.get({ timeoutMs }))).toMatchObject({
      code: "timed_out",
      message: `No complete response within ${timeoutMs ?? 20} ms.`,
    });
  expect(await shipping.account.get({ timeoutMs: 2 ** 31 - 1 })).toEqual({});
});

test("headers of one call are sent with every attempt, beside the client's own", async () => {
  server = await loopback(refusal(503, "service_unavailable"), ok({}));
  await server.client().shipments.create(SHIPMENT, { headers: { TraceParent: "00-1-2-01", "x-none": undefined } });
  expect(server.seen).toHaveLength(2);
  for (const { headers } of server.seen) {
    expect(headers).toMatchObject({ traceparent: "00-1-2-01", "content-type": "application/json" });
    expect(headers.authorization).toBe(`Bearer ${API_KEY}`);
    expect(headers).not.toHaveProperty("x-none");
  }
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
