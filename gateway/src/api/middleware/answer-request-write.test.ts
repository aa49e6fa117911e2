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
  test("201 with the owner's bytes under data; an equal request is a replay, byte for byte", async () => {
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const first = await create({ headers });
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty("idempotency-replayed");
    const { from, ...others } = order;
    const replay = await create({ headers, body: JSON.stringify({ ...others, from }, null, 2) });
    expect(replay.status).toBe(201);
    expect(replay.headers["idempotency-replayed"]).toBe("true");
    expect(replay.body).toBe(first.body);
    expect(replay.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
  });

  test("a key of 128 characters, spaces among them, is taken", async () => {
    expect((await create({ headers: { "Idempotency-Key": `a ${"~".repeat(126)}` } })).status).toBe(201);
  });

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

  test("409 when the key is used on another path", async () => {
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    await create({ headers });
    const other = await gateway.send("POST", "/shipments", { key, headers, body: JSON.stringify(order) });
    expect(other).toMatchObject({ status: 409, json: { error: { code: "idempotency_conflict" } } });
    expect(other.json.error).not.toHaveProperty("fields");
  });

  test("422 names every field and does not reserve the key", async () => {
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    const refused = await create({ headers, body: JSON.stringify({ ...order, to: { zip: 1 }, parcel: undefined }) });
    expect(refused.status).toBe(422);
    const paths = refused.json.error.fields.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(["to.name", "to.street1", "to.city", "to.postal_code", "to.country", "to.zip", "parcel"]);
    expect(refused.json.error.message).toContain("to.zip: is unknown");
    expect((await create({ headers })).status).toBe(201);
  });

  test("metadata reaches its owner as JSON that is deep-equal to what was sent", async () => {
    const metadata = '{"__proto__":{"a":[1.5,null]},"constructor":"\\u00e9\\ud83d\\ude00","":{"b":[]}}';
    const reference = "with metadata";
    const body = JSON.stringify({ ...order, reference, metadata: 0 }).replace('"metadata":0', `"metadata":${metadata}`);
    expect((await create({ body })).status).toBe(201);
    const sent = gateway.created.find((request) => request.reference === reference);
    expect(JSON.parse(sent?.metadata?.text ?? "")).toEqual(JSON.parse(metadata));
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
