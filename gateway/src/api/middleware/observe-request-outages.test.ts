import { Code, ConnectError } from "@connectrpc/connect";
import { fail, toConnectError } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import { rowsIn } from "@shipping/kit/testing/rows";
import { type GatewayUnderTest, gatewayUnderTest, ORDER_ID } from "../../testing/gateway-under-test.js";

let gateway: GatewayUnderTest;
/** Settles before a write fails. */
let answer = Promise.resolve();
let asked = 0;
beforeAll(async () => {
  gateway = await gatewayUnderTest({
    bulkheadLimits: { total: 1, perAccount: 1 },
    records: {
      getOrder() {
        throw toConnectError(fail("service_unavailable"));
      },
      async createOrder() {
        asked++;
        await answer;
        throw new ConnectError("The outcome is unknown.", Code.Unknown);
      },
    },
  });
});
afterAll(() => gateway.end());

/** The cause of a 503 in the log line of its request and in its row of the request log. */
async function causesOf(answer: Awaited<ReturnType<GatewayUnderTest["send"]>>) {
  expect([answer.status, answer.json.error.code]).toEqual([503, "service_unavailable"]);
  const requestId = answer.headers["x-request-id"] ?? "";
  return eventually(async () => {
    const line = gateway.lines.find(({ msg, request_id }) => msg === "request" && request_id === requestId);
    const [row] = await rowsIn(gateway.db, "request_log", { requestId });
    expect([line, row]).toEqual([expect.anything(), expect.anything()]);
    return [line?.cause, row?.cause];
  });
}

describe("a request answered 503 has its cause in the log", () => {
  test("its service was not there", async () => {
    const { key } = await gateway.newKey();
    expect(await causesOf(await gateway.send("GET", `/orders/${ORDER_ID}`, { key }))).toEqual(
      Array(2).fill("records_unavailable"),
    );
  });

  test("its write may have been executed", async () => {
    const { key } = await gateway.newKey();
    expect(await causesOf(await gateway.createOrder({ key }))).toEqual(Array(2).fill("outcome_unknown"));
  });

  // The gateway allows one unit of work, which the first order takes. For another account's request, that is the gateway's limit.
  test.each([
    [
      "its account was at its limit",
      "account_queue",
      "This account has too many requests in progress.",
      "account_queue",
    ],
    ["the gateway was at its limit", "gateway_queue", "The service is temporarily unavailable.", "503"],
  ])("%s", async (_, cause, message, counted) => {
    const { key } = await gateway.newKey();
    const other = await gateway.newKey();
    let release = () => {};
    answer = new Promise((resolve) => {
      release = resolve;
    });
    asked = 0;
    const first = gateway.createOrder({ key });
    await eventually(() => expect(asked).toBe(1));
    const second = await gateway.send("GET", "/account", { key: cause === "account_queue" ? key : other.key });
    release();
    await first;
    expect(second.json.error.message).toContain(message);
    expect(await causesOf(second)).toEqual(Array(2).fill(cause));
    expect(await gateway.metrics.render()).toContain(
      `{route="GET /api/v1/account",status="${counted}",part="gateway"} 1\n`,
    );
  });

  test("the gateway's database did not answer", async () => {
    const { key } = await gateway.newKey();
    const { pool } = gateway.db;
    const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const answer = await gateway.send("GET", "/account", { key }).finally(() => {
      for (const client of held) client.release();
    });
    expect(await causesOf(answer)).toEqual(Array(2).fill("own_database"));
  });

  test("and a request with another status has none", async () => {
    const { key } = await gateway.newKey();
    const { headers } = await gateway.createOrder({ key, body: "{}" });
    const requestId = headers["x-request-id"] ?? "";
    const row = await eventually(async () => {
      const [found] = await rowsIn(gateway.db, "request_log", { requestId });
      if (!found) throw new Error("The request is not in the log yet.");
      return found;
    });
    expect(row).toMatchObject({ status: 422, cause: null });
    expect(gateway.lines.find((line) => line.request_id === requestId)).not.toHaveProperty("cause");
  });
});
