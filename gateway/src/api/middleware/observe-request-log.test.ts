import { eventually } from "@shipping/kit/testing/eventually";
import { type GatewayUnderTest, gatewayUnderTest, ORDER_ID } from "../../testing/gateway-under-test.js";

let gateway: GatewayUnderTest;
let key: string;

beforeAll(async () => {
  gateway = await gatewayUnderTest();
  ({ key } = await gateway.newKey());
});
afterAll(() => gateway.end());

describe("the log", () => {
  test("has one wide line per request, without secrets and addresses", async () => {
    const answer = await gateway.send("GET", `/orders/${ORDER_ID}?secret=hidden`, { key });
    const line = await eventually(() => {
      const found = gateway.lines.filter((each) => each.request_id === answer.headers["x-request-id"]);
      expect(found).toHaveLength(1);
      return found[0];
    });
    expect(line).toMatchObject({
      msg: "request",
      method: "GET",
      route: "/api/v1/orders/:id",
      status: 422,
      code: "invalid_request",
      environment: "sandbox",
      account: expect.stringMatching(/^acc_/),
      key: expect.any(String),
      ms: expect.any(Number),
    });
    expect(JSON.stringify(gateway.lines)).not.toMatch("hidden");
    expect(JSON.stringify(gateway.lines)).not.toMatch(key);
  });
});

describe("the metrics", () => {
  const counted = async () => {
    const lines = (await gateway.metrics.render()).split("\n");
    return lines.filter((line) => line.startsWith("http_requests_total{"));
  };

  test("count requests by route and status, and time them by route", async () => {
    await gateway.send("GET", "/account", { key });
    await gateway.send("GET", "/account");
    await eventually(async () =>
      expect(await counted()).toEqual(
        expect.arrayContaining([
          'http_requests_total{route="GET /api/v1/account",status="200",part="gateway"} 1',
          'http_requests_total{route="GET /api/v1/account",status="401",part="gateway"} 1',
        ]),
      ),
    );
    expect(await gateway.metrics.render()).toContain(
      'http_request_duration_seconds_count{part="gateway",route="GET /api/v1/account"} 2\n',
    );
  });

  test("distinguish a carrier that is not configured, which the specification requires, from an outage", async () => {
    const live = await gateway.newKey({ environment: "live" });
    const answer = await gateway.send("POST", "/rates", { key: live.key, headers: { "Idempotency-Key": "a" } });
    expect(answer.status).toBe(503);
    await eventually(async () =>
      expect((await counted()).filter((line) => line.includes("/rates"))).toEqual([
        'http_requests_total{route="POST /api/v1/rates",status="carrier_not_configured",part="gateway"} 1',
      ]),
    );
  });

  test("leave out the time for which a request was paced", async () => {
    const slow = await gatewayUnderTest({ paceLimits: { perSecond: 4, burst: 1 } });
    try {
      await Promise.all(["/a", "/b", "/c"].map((path) => slow.send("GET", path)));
      const lines = await eventually(() => {
        const found = slow.lines.filter(({ msg }) => msg === "request") as { ms: number; paced_ms?: number }[];
        expect(found).toHaveLength(3);
        return found;
      });
      const sumOf = (all: number[]) => all.reduce((sum, one) => sum + one, 0);
      const held = sumOf(lines.map(({ paced_ms = 0 }) => paced_ms));
      expect(held).toBeGreaterThan(100);
      const text = await slow.metrics.render();
      const seconds = Number(/^http_request_duration_seconds_sum\{.*\} (.+)$/m.exec(text)?.[1]);
      expect(seconds * 1000).toBeCloseTo(sumOf(lines.map(({ ms }) => ms)) - held, 0);
    } finally {
      await slow.end();
    }
  });

  test("count all unknown paths as one route", async () => {
    for (const path of ["/a", "/b", "/c"]) await gateway.send("GET", path);
    await gateway.send("DELETE", "/orders");
    await eventually(async () =>
      expect(await counted()).toContain('http_requests_total{route="unknown",status="404",part="gateway"} 4'),
    );
  });
});
