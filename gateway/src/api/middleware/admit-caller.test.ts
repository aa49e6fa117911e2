import { once } from "node:events";
import { connect } from "node:net";
import { parseAnswers, received } from "@shipping/kit/testing/raw-http";
import sql, { type Sql } from "sql-template-tag";
import { type GatewayUnderTest, gatewayUnderTest, newIdempotencyKey, order } from "../../testing/gateway-under-test.js";

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await gatewayUnderTest();
});
afterAll(() => gateway.end());

const body = JSON.stringify(order);

type Key = Awaited<ReturnType<GatewayUnderTest["newKey"]>>;

/** Sends a request whose key is admitted, then runs a statement, and then sends the body. */
async function sendLate({ key }: Key, meanwhile: Sql, { method = "POST", path = "/orders", text = body } = {}) {
  const socket = connect(gateway.port, "127.0.0.1");
  const headers = {
    Host: "gateway",
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    "Idempotency-Key": newIdempotencyKey(),
    "Transfer-Encoding": "chunked",
    Expect: "100-continue",
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const answers = received(socket);
  socket.write(`${method} /api/v1${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  // The gateway sends 100 Continue once it wants the body, so the key has been admitted.
  await once(socket, "data");
  await gateway.db.run(meanwhile);
  const chunk = text && `${text.length.toString(16)}\r\n${text}\r\n`;
  socket.write(`${chunk}0\r\n\r\n`);
  const answer = parseAnswers(await answers).at(-1);
  return { status: answer?.status, code: JSON.parse(answer?.body ?? "{}").error?.code };
}

describe("a key that ends while the body of its request is on its way", () => {
  const endings: [string, (key: Key) => Sql][] = [
    ["revoked", ({ id }) => sql`UPDATE api_keys SET revoked_at = clock_timestamp() WHERE id = ${id}`],
    ["expired", ({ id }) => sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${id}`],
    [
      "of a suspended account",
      ({ accountId }) => sql`UPDATE accounts SET suspended_at = clock_timestamp() WHERE id = ${accountId}`,
    ],
  ];

  test.each(endings)("401, and the request is not executed: %s", async (_case, ending) => {
    const key = await gateway.newKey();
    // A second, valid key must not make a difference.
    await gateway.newKey();
    const before = gateway.created.length;
    expect(await sendLate(key, ending(key))).toEqual({ status: 401, code: "unauthorized" });
    expect(gateway.created).toHaveLength(before);
  });

  test("401 for a DELETE too, which may announce a body that never comes", async () => {
    const key = await gateway.newKey();
    const [, revoked] = endings[0]!;
    const remove = { method: "DELETE", path: "/webhooks/whk_x", text: "" };
    expect((await sendLate(key, revoked(key), remove)).status).toBe(401);
  });

  test("201 while it holds, and the request is counted once", async () => {
    const key = await gateway.newKey();
    expect((await sendLate(key, sql`SELECT`)).status).toBe(201);
    const account = await gateway.send("GET", "/account", { key: key.key });
    expect(account.headers.ratelimit).toContain("r=998");
  });
});

test("401 for a key of a cell, which says that it is one of another installation", async () => {
  const key = "service_test_eu_4kQz81mWx2LbRt9Yp0VnCs7HdJfGa3VDrZR";
  const { status, headers, json } = await gateway.send("GET", "/account", { key });
  expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  expect(json.error).toMatchObject({
    code: "unauthorized",
    message: expect.stringContaining("an API key of another installation"),
  });
});

test.each([
  ["X-Idempotency-Key", ", instead of x-idempotency-key"],
  ["Idempotent-Key", ", instead of idempotent-key"],
  ["Sps-Idempotency-Key", ", instead of sps-idempotency-key"],
  ["Idempotency-Key-Of-Another", ""],
])("a write whose idempotency key is in the header %s is told its name", async (name, said) => {
  const { key } = await gateway.newKey();
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", [name]: "a" };
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/orders`, { method: "POST", headers, body });
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect([answer.status, error.code]).toEqual([422, "invalid_request"]);
  expect(error.message).toMatch(/^Idempotency-Key: is missing\. Add an Idempotency-Key header /);
  expect(error.message.replace(/^.* for each new request/, "")).toBe(said);
});
