import { connect } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import {
  type GatewayUnderTest,
  gatewayUnderTest,
  newIdempotencyKey,
  order,
  type Sending,
} from "../../testing/gateway-under-test.js";

let gateway: GatewayUnderTest;
let key: string;

beforeAll(async () => {
  gateway = await gatewayUnderTest();
  ({ key } = await gateway.newKey());
});
afterAll(() => gateway.end());

const create = (sending: Sending = {}) => gateway.createOrder({ key, ...sending });

describe("writes", () => {
  test("409 names the request that used the key first and when; another account does not see it", async () => {
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await create({ headers });
    const change = { headers, body: JSON.stringify({ ...order, reference: "other" }) };
    await eventually(async () => {
      const { status, json } = await create(change);
      expect(`${status} ${json.error.code}`).toBe("409 idempotency_conflict");
      expect(json.error.message).toMatch(
        new RegExp(
          `^This Idempotency-Key was first used for POST /api/v1/orders at \\d{4}-[\\d-]+T[\\d:.]+Z \\(request ${first.headers["x-request-id"]}\\)`,
        ),
      );
    });
    const stranger = await gateway.newKey();
    expect((await create({ ...change, key: stranger.key })).status).toBe(201);
  });

  test("a client that disconnects does not cancel its write: its repetition is a replay", async () => {
    const idempotencyKey = newIdempotencyKey();
    const body = JSON.stringify({ ...order, reference: "hung up" });
    const head = [
      "POST /api/v1/orders HTTP/1.1",
      "Host: gateway",
      `Authorization: Bearer ${key}`,
      `Idempotency-Key: ${idempotencyKey}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    const asked = () => gateway.created.filter(({ reference }) => reference === "hung up").length;
    await eventually(() => expect(asked()).toBe(1));
    socket.destroy();
    const again = await create({ headers: { "Idempotency-Key": idempotencyKey }, body });
    expect(again).toMatchObject({ status: 201, headers: { "idempotency-replayed": "true" } });
    expect(asked()).toBe(1);
  });
});
