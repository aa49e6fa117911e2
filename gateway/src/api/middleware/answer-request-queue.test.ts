import { connect } from "node:net";
import { fail, toConnectError } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import {
  type GatewayUnderTest,
  gatewayUnderTest,
  newIdempotencyKey,
  ORDER_ID,
  order,
} from "../../testing/gateway-under-test.js";

let gateway: GatewayUnderTest;
/** Callbacks that let the held lists of records continue. */
const held: (() => void)[] = [];
let asked = 0;
beforeAll(async () => {
  gateway = await gatewayUnderTest({
    bulkheadLimits: { total: 17, perAccount: 16 },
    records: {
      async listOrders() {
        asked++;
        await new Promise<void>((resolve) => held.push(resolve));
        return { data: Buffer.from("[]") };
      },
    },
  });
});
afterAll(() => gateway.end());
beforeEach(() => {
  asked = 0;
});

function letGo(): void {
  for (const go of held.splice(0)) go();
}

describe("an account that asks for many lists at once", () => {
  test("has two of them under way, the others get their answers one after the other: none is refused", async () => {
    const { key } = await gateway.newKey();
    const lists = Array.from({ length: 20 }, () => gateway.send("GET", "/orders", { key }));
    await eventually(() => expect(held).toHaveLength(2));
    expect(asked).toBe(2);
    const letting = setInterval(letGo, 1);
    expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]));
    clearInterval(letting);
    expect(asked).toBe(20);
  });

  test("leaves another account its reads and writes", async () => {
    const loud = await gateway.newKey();
    const quiet = await gateway.newKey();
    const lists = Array.from({ length: 5 }, () => gateway.send("GET", "/orders", { key: loud.key }));
    await eventually(() => expect(held).toHaveLength(2));
    expect((await gateway.send("GET", `/orders/${ORDER_ID}`, { key: quiet.key })).status).toBe(200);
    expect((await gateway.createOrder({ key: quiet.key })).status).toBe(201);
    const letting = setInterval(letGo, 1);
    await Promise.all(lists);
    clearInterval(letting);
  });

  test("has large bodies looked at one after the other, and others' requests between them", async () => {
    const { key } = await gateway.newKey();
    const quiet = await gateway.newKey();
    const body = "[".repeat(32_000) + "]".repeat(32_000);
    const answered: string[] = [];
    const large = Array.from({ length: 10 }, async () => {
      const headers = { "Idempotency-Key": newIdempotencyKey() };
      const { json } = await gateway.send("POST", "/orders", { key, body, headers });
      answered.push(json.error.code);
    });
    await eventually(() => expect(answered.length).toBeGreaterThan(0));
    const { status } = await gateway.send("GET", `/orders/${ORDER_ID}`, { key: quiet.key });
    expect(status).toBe(200);
    expect(answered.length).toBeLessThan(10);
    await Promise.all(large);
    expect(new Set(answered)).toEqual(new Set(["invalid_request"]));
  });

  test("does no work for clients that have disconnected", async () => {
    const { key } = await gateway.newKey({ scopes: ["orders:read"] });
    const lists = Array.from({ length: 2 }, () => gateway.send("GET", "/orders", { key }));
    await eventually(() => expect(held).toHaveLength(2));
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write(`GET /api/v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    // The refusal of a scope does not wait for others, and says how many requests have been admitted.
    let probes = 0;
    await eventually(async () => {
      const { headers } = await gateway.send("GET", "/account", { key });
      probes++;
      expect(headers.ratelimit).toContain(`;r=${1_000 - 3 - probes};`);
    });
    const aborted = () => gateway.lines.filter((line) => line.aborted && line.account);
    expect(aborted()).toEqual([]);
    // A server cannot tell `destroy` from a client that has finished sending.
    socket.resetAndDestroy();
    await eventually(() => expect(aborted()).toHaveLength(1));
    letGo();
    await Promise.all(lists);
    expect(asked).toBe(2);
  });
});

describe("a body", () => {
  const writes: (() => void)[] = [];
  function letWrite(): void {
    for (const go of writes.splice(0)) go();
  }
  let letting: NodeJS.Timeout | undefined;
  let other: GatewayUnderTest;
  beforeAll(async () => {
    other = await gatewayUnderTest({
      bulkheadLimits: { total: 17, perAccount: 16 },
      records: {
        async createOrder() {
          await new Promise<void>((resolve) => writes.push(resolve));
          throw toConnectError(fail("shipment_voided"));
        },
      },
    });
  });
  afterEach(() => {
    clearInterval(letting);
    letWrite();
  });
  afterAll(() => other.end());

  test("weighs one unit for each 8 KiB: of 64 KiB, two are under way where a list's share is two lists", async () => {
    const { key } = await other.newKey();
    const body = JSON.stringify(order).padEnd(65_536);
    const created = Array.from({ length: 5 }, () => other.createOrder({ key, body }));
    await eventually(() => expect(writes).toHaveLength(2));
    // A whole request of another account. Any further writes would have started meanwhile.
    const neighbour = await other.newKey();
    expect((await other.send("GET", `/orders/${ORDER_ID}`, { key: neighbour.key })).status).toBe(200);
    expect(writes).toHaveLength(2);
    letting = setInterval(letWrite, 1);
    expect((await Promise.all(created)).map(({ status }) => status)).toEqual(Array(5).fill(409));
  });
});
