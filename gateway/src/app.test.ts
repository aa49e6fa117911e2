import { isId } from "@shipping/kit/ids";
import { routes } from "./api/endpoints/endpoints.js";
import { type GatewayUnderTest, gatewayUnderTest, newIdempotencyKey, ORDER_ID } from "./testing/gateway-under-test.js";
import { exchange } from "./testing/raw-http.js";

let gateway: GatewayUnderTest;
let key: string;

beforeAll(async () => {
  gateway = await gatewayUnderTest();
  ({ key } = await gateway.newKey());
});
afterAll(() => gateway.end());

describe("an unknown route", () => {
  test.each([
    ["GET", "/nothing"],
    ["GET", ""],
    ["PATCH", "/orders"],
    ["DELETE", "/orders"],
    ["HEAD", "/orders"],
    ["OPTIONS", "/orders"],
    ["HEAD", "/openapi.json"],
    ["GET", "/orders/"],
    ["GET", "//orders"],
    ["GET", "/Orders"],
    ["GET", "/orders/a/b"],
    ["GET", "/orders/%ff"],
    ["GET", "/labels/%zz/file"],
    ["GET", "/%6frders"],
  ])("404 not_found for %s %s, with a key and without", async (method, path) => {
    for (const sending of [{ key }, {}]) {
      const answer = await gateway.send(method, path, sending);
      expect(answer.status).toBe(404);
      expect(answer.headers).not.toHaveProperty("ratelimit");
      expect(isId("req", answer.headers["x-request-id"] ?? "")).toBe(true);
      if (method !== "HEAD") expect(answer.json.error.code).toBe("not_found");
    }
  });

  test("is not counted", async () => {
    const before = await gateway.send("GET", "/account", { key });
    await gateway.send("GET", "/nothing", { key });
    const after = await gateway.send("GET", "/account", { key });
    const left = ({ headers }: typeof before) => Number(/r=(\d+)/.exec(headers.ratelimit ?? "")?.[1]);
    expect(left(after)).toBe(left(before) - 1);
  });
});

describe("a request target", () => {
  const status = async (target: string) => {
    const [answer] = await exchange(gateway.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer?.headers["content-type"]).toBe("application/json");
    return answer?.status;
  };

  test("may be a whole address", async () => {
    for (const origin of ["http://gateway", "HTTPS://another:1", "http://[::1"]) {
      expect(await status(`${origin}/api/v1/account`)).toBe(401);
    }
  });

  test.each(["http://[::1", "http://", "foo://a/api/v1/account", "*", "/api/v1/account#", "/api\\v1\\account#"])(
    "%s is refused like an unknown route or as no HTTP, never with HTML",
    async (target) => expect([400, 404]).toContain(await status(target)),
  );
});

describe("the order of refusals", () => {
  test.each(routes)("401 before anything else for $method $path", async ({ method, path }) => {
    const answer = await gateway.send(method, `${path}?bad=%zz`, {
      body: "{",
      headers: { "Content-Type": "text/plain" },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.headers).not.toHaveProperty("ratelimit");
    expect(answer.json.error).toEqual({
      code: "unauthorized",
      message: expect.any(String),
      request_id: answer.headers["x-request-id"],
    });
  });

  test("401 for a key with a typo, another scheme, an expired and an unknown one", async () => {
    const typo = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
    const expired = await gateway.newKey({ expiresInMs: -1_000 });
    for (const wrong of [typo, expired.key]) {
      expect((await gateway.send("GET", "/account", { key: wrong })).status).toBe(401);
    }
    expect((await gateway.send("GET", "/account", { headers: { Authorization: `Basic ${key}` } })).status).toBe(401);
  });

  test("429 before 403, and it is not counted", async () => {
    const small = await gatewayUnderTest({ requestsPerMinute: 2 });
    const scoped = await small.newKey({ scopes: ["orders:read"] });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await small.send("GET", "/account", { key: scoped.key })).status);
    const refused = await small.send("GET", "/account", { key: scoped.key });
    await small.end();
    expect(statuses).toEqual([403, 403, 429, 429]);
    expect(refused.json.error.code).toBe("rate_limited");
    expect(refused.headers).toMatchObject({
      "retry-after": "60",
      "ratelimit-policy": '"default";q=2;w=60',
      ratelimit: expect.stringMatching(/^"default";r=0;t=\d+$/),
    });
  });

  test.each(routes)("403 names the scope of $method $path, whatever else is wrong", async ({ method, path, scope }) => {
    const other = await gateway.newKey({ scopes: [scope === "account:read" ? "orders:read" : "account:read"] });
    const answer = await gateway.send(method, `${path}?bad=%zz`, { key: other.key, body: "{" });
    expect(answer.status).toBe(403);
    expect(answer.json.error).toMatchObject({ code: "missing_scope", message: expect.stringContaining(scope) });
    expect(answer.headers.ratelimit).toMatch(/^"default";r=999;t=\d+$/);
  });

  test.each([
    ["absent", {}],
    ["empty", { "Idempotency-Key": "" }],
    ["only a space, which HTTP takes away", { "Idempotency-Key": " " }],
    ["129 characters long", { "Idempotency-Key": "x".repeat(129) }],
    ["not ASCII", { "Idempotency-Key": "é" }],
    ["with a tab inside", { "Idempotency-Key": "a\tb" }],
    ["sent twice", { "Idempotency-Key": "a", "idempotency-key": "a" }],
  ])("422 when the Idempotency-Key is %s, before the body is looked at", async (_case, headers) => {
    const sent = await gateway.send("POST", "/orders", { key, body: "{", headers: headers as Record<string, string> });
    expect(sent.status).toBe(422);
    expect(sent.json.error.fields).toEqual([{ path: "Idempotency-Key", message: expect.any(String) }]);
  });

  test.each(["/rates", "/labels"])(
    "503 carrier_not_configured for a live key on POST %s, before the body",
    async (path) => {
      const live = await gateway.newKey({ environment: "live" });
      const answer = await gateway.send("POST", path, {
        key: live.key,
        body: "{",
        headers: { "Idempotency-Key": "a" },
      });
      expect(answer).toMatchObject({ status: 503, json: { error: { code: "carrier_not_configured" } } });
      expect(answer.headers).not.toHaveProperty("retry-after");
    },
  );

  test("a used key comes before the fields: 409 for a bad body under it", async () => {
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    expect((await gateway.createOrder({ key, headers })).status).toBe(201);
    expect((await gateway.createOrder({ key, headers, body: "{}" })).json.error.code).toBe("idempotency_conflict");
    expect((await gateway.createOrder({ key, headers, body: "{" })).json.error.code).toBe("invalid_json");
  });

  test("an unknown member is named by its path, one without a name by its quotes", async () => {
    for (const [body, path] of [
      ['{"x":1}', "x"],
      ['{"":1}', '""'],
      ['{"to":{"":1}}', 'to.""'],
    ] as const) {
      const { json } = await gateway.createOrder({ key, body });
      expect(json.error.fields).toContainEqual({ path, message: "is unknown: leave it out" });
    }
  });

  test("fields come before existence, and an id of another form is not found without asking", async () => {
    const get = (path: string) => gateway.send("GET", path, { key });
    expect((await get(`/orders/ord_nothing?limit=1`)).json.error.fields).toEqual([
      { path: "limit", message: "is unknown: leave it out" },
    ]);
    for (const id of ["ord_nothing", "a%00b", "..%2f", "%F0%9F%98%80", ORDER_ID.toUpperCase()]) {
      expect(await get(`/orders/${id}`)).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
    }
  });

  test("422 for a DELETE with a body of whatever type", async () => {
    const headers = { "Idempotency-Key": "a", "Content-Type": "text/plain" };
    const answer = await gateway.send("DELETE", "/webhooks/whk_x", { key, headers, body: "x" });
    expect(answer.json.error.fields).toEqual([{ path: "body", message: expect.any(String) }]);
  });
});
