import { connect } from "node:net";
import { fail, toConnectError } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";
import {
  type GatewayUnderTest,
  gatewayUnderTest,
  newIdempotencyKey,
  ORDER_ID,
  order,
  type Sending,
} from "../../testing/gateway-under-test.js";

const FOREIGN = "ord_nbswy3dpeb3w64tmmqqgm33pmy";

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await gatewayUnderTest({
    requestsPerMinute: 30,
    trustedProxies: { count: 1, header: "x-forwarded-for" },
    records: {
      getOrder({ id }) {
        if (id === FOREIGN) throw new Error("A fault of ours.");
        if (id !== ORDER_ID) throw toConnectError(fail("not_found", "No such order."));
        return { data: Buffer.from(JSON.stringify({ id, object: "order" })) };
      },
    },
  });
});
afterAll(() => gateway.end());

const rowsOf = (requestId: string | undefined) => rowsIn(gateway.db, "request_log", { requestId: requestId ?? "" });

/** The row of a request, once it is written. */
const rowOf = (requestId: string | undefined) =>
  eventually(async () => {
    const rows = await rowsOf(requestId);
    expect(rows).toHaveLength(1);
    return rows[0]!;
  });

/** Sends a request, and yields its answer and its row. */
async function logged(method: string, path: string, sending: Sending = {}) {
  const answer = await gateway.send(method, path, sending);
  return { answer, row: await rowOf(answer.headers["x-request-id"]) };
}

const post = (key: string, body: unknown = order, idempotencyKey = newIdempotencyKey()) =>
  logged("POST", "/orders", { key, body: JSON.stringify(body), headers: { "Idempotency-Key": idempotencyKey } });

describe("a write", () => {
  test("is logged with its key, status, time, idempotency key, address and user agent", async () => {
    const { key, id, accountId } = await gateway.newKey();
    const before = Date.now();
    const { row } = await logged("POST", "/orders?x=1", {
      key,
      body: JSON.stringify(order),
      headers: { "Idempotency-Key": "order-1", "User-Agent": "shop/1.0", "X-Forwarded-For": "198.51.100.7" },
    });
    expect(row).toMatchObject({ status: 422, path: "/api/v1/orders" });
    const { row: created } = await logged("POST", "/orders", {
      key,
      body: JSON.stringify(order),
      headers: { "Idempotency-Key": "order-1", "User-Agent": "shop/1.0", "X-Forwarded-For": "1.1.1.1, 198.51.100.7" },
    });
    expect(created).toMatchObject({
      accountId,
      environment: "sandbox",
      keyId: id,
      method: "POST",
      path: "/api/v1/orders",
      status: 201,
      code: null,
      fields: null,
      idempotencyKey: "order-1",
      replayed: false,
      source: "198.51.100.7",
      userAgent: "shop/1.0",
      more: 0,
    });
    expect(created.ms).toBeGreaterThan(0);
    expect(Math.abs((created.at as Date).getTime() - before)).toBeLessThan(60_000);
  });

  test("that is repeated is logged as a replay", async () => {
    const { key } = await gateway.newKey();
    const idempotencyKey = newIdempotencyKey();
    await post(key, order, idempotencyKey);
    const { row } = await post(key, order, idempotencyKey);
    expect(row).toMatchObject({ status: 201, replayed: true, idempotencyKey });
  });

  test("whose client disconnected before the answer is logged as aborted, with its IP address", async () => {
    const { key, accountId } = await gateway.newKey();
    const socket = connect(gateway.port, "127.0.0.1");
    const head = `POST /api/v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Idempotency-Key: k\r\nContent-Length: 100\r\n\r\n{`);
    await eventually(async () => {
      const [used] = await rowsIn(gateway.db, "api_keys", { accountId });
      expect(used).toMatchObject({ lastUsedAt: expect.any(Date) });
    });
    socket.resetAndDestroy();
    const row = await eventually(async () => {
      const [found] = await rowsIn(gateway.db, "request_log", { accountId });
      expect(found).toBeDefined();
      return found;
    });
    expect(row).toMatchObject({ status: null, code: "aborted", source: "127.0.0.1" });
  });
});

describe("a refusal", () => {
  test("422 has the fields at fault, with what is wrong with them", async () => {
    const { key } = await gateway.newKey();
    const { row } = await post(key, { ...order, note: "x", to: { ...order.to, country: "de" } });
    expect(row).toMatchObject({ status: 422, code: "invalid_request" });
    expect(JSON.parse(String(row.fields))).toEqual([
      { path: "to.country", message: "must be a two-letter country code in upper case" },
      { path: "note", message: "is not a known field: remove it" },
    ]);
  });

  test("409 of another request under the key", async () => {
    const { key } = await gateway.newKey();
    const idempotencyKey = newIdempotencyKey();
    await post(key, order, idempotencyKey);
    const { row } = await post(key, { ...order, reference: "PO-2" }, idempotencyKey);
    expect(row).toMatchObject({ status: 409, code: "idempotency_conflict", idempotencyKey, replayed: false });
  });

  test("of a write belongs to the shipment or order that its body names", async () => {
    const { key } = await gateway.newKey();
    const shipment = "shp_pfxxkidmn53gk4zanfzsa33nma";
    const named = async (path: string, body: object) => {
      const headers = { "Idempotency-Key": newIdempotencyKey() };
      const { row } = await logged("POST", path, { key, body: JSON.stringify(body), headers });
      return [row.status, row.resourceId];
    };
    expect(await named("/labels", { shipment_id: shipment, rate_id: 5 })).toEqual([422, shipment]);
    expect(await named("/shipments", { order_id: ORDER_ID })).toEqual([422, ORDER_ID]);
    expect(await named("/labels", { shipment_id: [shipment] })).toEqual([422, null]);
  });

  test("404, 403 and 5xx, of reads too, with the resource that the path names", async () => {
    const { key } = await gateway.newKey();
    const missing = "ord_pfxxkidmn53gk4zanfzsa33nma";
    const { row: notFound } = await logged("GET", `/orders/${missing}`, { key });
    expect(notFound).toMatchObject({ status: 404, code: "not_found", resourceId: missing });
    const { row: failed } = await logged("GET", `/orders/${FOREIGN}`, { key });
    expect([500, 503]).toContain(failed.status);
    const weak = await gateway.newKey({ scopes: ["account:read"] });
    const { row: forbidden } = await logged("GET", `/orders/${ORDER_ID}`, { key: weak.key });
    expect(forbidden).toMatchObject({ status: 403, code: "missing_scope", resourceId: ORDER_ID });
    const { row: withoutBody } = await logged("HEAD", `/orders/${missing}`, { key });
    expect(withoutBody).toMatchObject({ status: 404, method: "HEAD", idempotencyKey: null, resourceId: missing });
  });

  test("without an admitted key belongs to no account, and is found only by its id", async () => {
    for (const [sending, status] of [
      [{}, 401],
      [{ key: "service_test_nobody" }, 401],
    ] as const) {
      const { row } = await logged("GET", "/account", sending);
      expect(row).toMatchObject({ status, accountId: null, environment: null, keyId: null });
    }
    const { row } = await logged("PATCH", "/nothing");
    expect(row).toMatchObject({ status: 404, accountId: null, method: "PATCH", path: "/api/v1/nothing" });
  });

  test("429: ten of a minute are listed, the others are counted", async () => {
    const { key, accountId } = await gateway.newKey();
    const statuses: number[] = [];
    while (statuses.length < 60) statuses.push((await gateway.send("GET", "/account", { key })).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    await eventually(async () => expect(await rowsIn(gateway.db, "request_log", { accountId })).toHaveLength(10));
  });
});

describe("a read that succeeds, and whatever is no request to the API", () => {
  test("is not listed", async () => {
    const { key, accountId } = await gateway.newKey();
    const reads = [await gateway.send("GET", "/account", { key }), await gateway.send("HEAD", "/account", { key })];
    await post(key);
    expect(reads.map(({ status }) => status)).toEqual([200, 200]);
    for (const { headers } of reads) expect(await rowsOf(headers["x-request-id"])).toEqual([]);
    expect(await rowsIn(gateway.db, "request_log", { accountId })).toHaveLength(1);
  });

  test("such as a document below the API's path, belongs to no account and is not listed", async () => {
    const document = await gateway.send("GET", "/openapi.json");
    const { answer } = await logged("GET", "/account");
    expect([document.status, answer.status]).toEqual([200, 401]);
    expect(await rowsOf(document.headers["x-request-id"])).toEqual([]);
  });
});

describe("what the log never holds", () => {
  test("is a body, a query, or a key, wherever a client puts them", async () => {
    const { key } = await gateway.newKey();
    const secret = "whsec_abcdefghijklmnop";
    await logged("GET", `/${key}?key=${key}`, { headers: { "User-Agent": `curl ${key}` } });
    await logged("POST", "/orders", { key, body: `{"${secret}":1}`, headers: { "Idempotency-Key": key } });
    await post(key, {
      ...order,
      reference: "CONFIDENTIAL",
      metadata: { a: "CONFIDENTIAL" },
      from: { name: "CONFIDENTIAL" },
    });
    await logged("GET", "/orders?limit=CONFIDENTIAL", { key });
    const all = JSON.stringify(await rowsIn(gateway.db, "request_log"));
    for (const hidden of [key, secret, "CONFIDENTIAL", order.from.street1.repeat(2)]) expect(all).not.toContain(hidden);
    expect(all).toContain("service_test_[redacted]");
  });

  test("is more of a text than fits: it is cut, and the rest is kept", async () => {
    const { key } = await gateway.newKey();
    const { row } = await logged("POST", `/${"o".repeat(3_000)}`, {
      key,
      headers: { "User-Agent": "x\u00ff".repeat(3_000) },
    });
    expect(String(row.path)).toHaveLength(200);
    expect(String(row.userAgent)).toHaveLength(200);
  });
});

describe("switched off", () => {
  test("it stores no requests and no counts", async () => {
    const off = await gatewayUnderTest({ requestLogDays: 0 });
    const { key } = await off.newKey();
    await off.createOrder({ key });
    await off.send("GET", "/account");
    const partitions = await off.db.run(sql`SELECT FROM pg_inherits WHERE inhparent = 'request_log'::regclass`);
    expect([partitions.length, await countIn(off.db, "request_counts")]).toEqual([0, 0]);
    await off.end();
  });
});
