import { eventually } from "@shipping/kit/testing/eventually";
import { type GatewayUnderTest, gatewayUnderTest, ORDER_ID } from "../testing/gateway-under-test.js";

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
