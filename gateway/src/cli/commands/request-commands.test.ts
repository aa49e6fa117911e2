import { eventually } from "@shipping/kit/testing/eventually";
import { type GatewayUnderTest, gatewayUnderTest, newIdempotencyKey } from "../../testing/gateway-under-test.js";
import { runAdmin } from "../run-admin.js";

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await gatewayUnderTest();
});
afterAll(() => gateway.end());

async function admin(line: string) {
  const out: string[] = [];
  const err: string[] = [];
  const shell = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const status = await runAdmin(line.split(" "), { env: { DATABASE_URL_GATEWAY: gateway.url }, ...shell });
  return { status, out: out.join(""), err: err.join("") };
}

const shown = (line: string) =>
  eventually(async () => {
    const answer = await admin(line);
    expect(answer).toMatchObject({ status: 0, err: "" });
    return answer.out;
  });

describe("request show", () => {
  test("shows a refusal of any account, with its fields at fault, in words and as JSON", async () => {
    const { key, id, accountId } = await gateway.newKey({ name: "Lager" });
    const headers = { "Idempotency-Key": newIdempotencyKey(), "User-Agent": "shop/1.0" };
    const { json } = await gateway.createOrder({ key, body: "{}", headers });
    const requestId = json.error.request_id;
    const text = await shown(`request show ${requestId}`);
    expect(text).toContain("POST /api/v1/orders");
    expect(text).toContain(`${id}, ends in ${key.slice(-4)}, Lager`);
    expect(text).toContain("reference: is required");
    expect(JSON.parse(await shown(`request show ${requestId} --json`))).toMatchObject({
      request_id: requestId,
      account_id: accountId,
      environment: "sandbox",
      key_id: id,
      status: 422,
      code: "invalid_request",
      fields: expect.arrayContaining([{ path: "reference", message: "is required" }]),
      idempotency_key: headers["Idempotency-Key"],
      replayed: false,
      source: "127.0.0.1",
      user_agent: "shop/1.0",
    });
  });

  test("shows one that belongs to nobody", async () => {
    const { json } = await gateway.send("GET", "/account", { key: "service_test_nobody" });
    expect(await shown(`request show ${json.error.request_id}`)).toContain("none: the request had no valid API key");
  });

  test.each(["req_mfrggzdfmztwq2lknnwg23tpoa", "nothing"])("ends with status 1 and says why for %s", async (id) => {
    const { status, out, err } = await admin(`request show ${id}`);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(new RegExp(`^error: No such request: ${id}\\. .*REQUEST_LOG_DAYS`));
  });
});
