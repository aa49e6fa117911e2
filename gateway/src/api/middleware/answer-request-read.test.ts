import { Code, ConnectError } from "@connectrpc/connect";
import { type GatewayUnderTest, gatewayUnderTest, ORDER_ID } from "../../testing/gateway-under-test.js";

let gateway: GatewayUnderTest;
let key: string;
const timesLeft: number[] = [];

beforeAll(async () => {
  gateway = await gatewayUnderTest({
    records: {
      listShipments() {
        throw new Error("postgres://user:password@host said no");
      },
      getShipment(_request, context) {
        timesLeft.push(context.timeoutMs() ?? Number.POSITIVE_INFINITY);
        throw new ConnectError("too late", Code.DeadlineExceeded);
      },
    },
  });
  ({ key } = await gateway.newKey());
});
afterAll(() => gateway.end());

describe("GET /account", () => {
  test("200 with identity and capabilities of the key", async () => {
    const sandbox = await gateway.newKey({ scopes: ["account:read", "labels:read"] });
    const answer = await gateway.send("GET", "/account", { key: sandbox.key });
    expect(answer.status).toBe(200);
    expect(answer.json.data).toEqual({
      id: sandbox.accountId,
      object: "account",
      name: "Acme",
      environment: "sandbox",
      livemode: false,
      api_version: "v1",
      scopes: ["account:read", "labels:read"],
      capabilities: { orders: true, shipments: true, webhooks: true, rates: true, labels: true, tracking: true },
      limits: { requests_per_minute: 1_000, active_webhooks: 10 },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test("a live key has no carrier", async () => {
    const live = await gateway.newKey({ environment: "live" });
    const { json: body } = await gateway.send("GET", "/account", { key: live.key });
    expect(body.data).toMatchObject({
      environment: "live",
      livemode: true,
      capabilities: { orders: true, shipments: true, webhooks: true, rates: false, labels: false, tracking: false },
    });
  });
});

describe("reads", () => {
  test("503 with Retry-After when a service fails without a refusal, and its message is not exposed", async () => {
    const answer = await gateway.send("GET", "/shipments", { key });
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    expect(answer.json.error.code).toBe("service_unavailable");
    expect(answer.body).not.toMatch("postgres");
  });

  test("500 internal_error when an answer lacks its resource, and the details are not exposed", async () => {
    const broken = await gatewayUnderTest({ records: { getOrder: () => ({}) } });
    const holder = await broken.newKey();
    const answer = await broken.send("GET", `/orders/${ORDER_ID}`, { key: holder.key });
    await broken.end();
    expect(`${answer.status} ${answer.json.error.code}`).toBe("500 internal_error");
    expect(answer.json.error.message).toBe("Something went wrong on our side.");
  });

  test("503 when a service does not answer in time", async () => {
    const answer = await gateway.send("GET", `/shipments/shp_${ORDER_ID.slice(4)}`, { key });
    expect(answer).toMatchObject({ status: 503, json: { error: { code: "service_unavailable" } } });
    expect(timesLeft.every((time) => time <= 5_000)).toBe(true);
  });
});
