import { connect, type Socket } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { type GatewayUnderTest, gatewayUnderTest, ORDER_ID } from "../testing/gateway-under-test.js";

const MIB = 1024 * 1024;

/** Orders in a list of about 8 MiB: more than a kernel keeps for a connection that nobody reads. */
const ORDERS = Buffer.from(
  JSON.stringify(Array.from({ length: 100 }, () => ({ id: ORDER_ID, reference: "x".repeat(84_000) }))),
);

let gateway: GatewayUnderTest;
let lists = 0;

async function start(options: Parameters<typeof gatewayUnderTest>[0]): Promise<void> {
  lists = 0;
  function listOrders() {
    lists++;
    return { data: ORDERS };
  }
  gateway = await gatewayUnderTest({ records: { listOrders }, ...options });
}
afterEach(() => gateway.end());

/** A client that asks for a list and reads nothing of it. */
async function unreadList(key: string): Promise<Socket> {
  const socket = connect(gateway.port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(`GET /api/v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** The keys of the requests that have come to an end, one for each: as nobody reads their answers, these were cut. */
const cut = () => gateway.lines.filter(({ route }) => route).map(({ key }) => key);

/** Resolves once so many lists have been asked of records. */
const asked = (count: number) => eventually(() => expect(lists).toBe(count));

describe("an answer that nobody reads", () => {
  test("is cut when nothing of it was taken for a while, and its connection closed", async () => {
    await start({ listening: { stallMs: 500 } });
    const { key, id } = await gateway.newKey();
    const still = await unreadList(key);
    await eventually(() => expect(cut()).toEqual([id]));
    let read = 0;
    still.on("data", (chunk) => {
      read += chunk.length;
    });
    still.resume();
    await eventually(() => expect(still.closed).toBe(true));
    expect(read).toBeLessThan(8 * MIB);
  });

  test("of an account that has too many of them waiting: the oldest goes, and others keep theirs", async () => {
    await start({ unreadLimits: { total: 100 * MIB, perAccount: 20 * MIB } });
    const [loud, quiet] = [await gateway.newKey(), await gateway.newKey()];
    await unreadList(quiet.key);
    await asked(1);
    for (let count = 1; count <= 6; count++) {
      await unreadList(loud.key);
      await asked(1 + count);
      await eventually(() => expect(cut()).toHaveLength(Math.max(0, count - 2)));
    }
    expect(new Set(cut())).toEqual(new Set([loud.id]));
    const text = await gateway.metrics.render();
    expect(text).toMatch(/^gateway_answers_cut(\{.*\})? 4$/m);
    expect(text).toMatch(/^gateway_bytes_waiting_max(\{.*\})? 104857600$/m);
  });

  test("counts for the process, too: who has most waiting loses the oldest", async () => {
    await start({ unreadLimits: { total: 30 * MIB, perAccount: 20 * MIB } });
    const keys = [await gateway.newKey(), await gateway.newKey(), await gateway.newKey()];
    const [loud, quiet, other] = keys.map(({ key }) => key) as [string, string, string];
    for (const [index, key] of [quiet, loud, loud].entries()) {
      await unreadList(key);
      await asked(index + 1);
    }
    expect(cut()).toEqual([]);
    await unreadList(other);
    await eventually(() => expect(cut()).toEqual([keys[0]?.id]));
  });

  test("that is read at once is none of all this", async () => {
    await start({ unreadLimits: { total: 9 * MIB, perAccount: 9 * MIB } });
    const { key } = await gateway.newKey();
    for (let n = 0; n < 5; n++) expect((await gateway.send("GET", "/orders", { key })).status).toBe(200);
    const text = await gateway.metrics.render();
    expect(text).toMatch(/^gateway_bytes_waiting(\{.*\})? 0$/m);
    expect(text).toMatch(/^gateway_answers_cut(\{.*\})? 0$/m);
  });
});
