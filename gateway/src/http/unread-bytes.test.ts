import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { type GatewayUnderTest, gatewayUnderTest, ORDER_ID } from "../testing/gateway-under-test.js";
import { createUnreadBytes } from "./unread-bytes.js";

const MIB = 1024 * 1024;

/** A list of orders of about 8 MiB, which is more than a kernel buffers for a connection. */
const ORDERS = Buffer.from(
  JSON.stringify(Array.from({ length: 100 }, () => ({ id: ORDER_ID, reference: "x".repeat(84_000) }))),
);

describe("createUnreadBytes", () => {
  /** A response of which the client has not read this many bytes. */
  function unread(writableLength: number) {
    const socket = { destroyed: false, resetAndDestroy: () => Object.assign(socket, { destroyed: true }) };
    const state = { writableLength, destroyed: false, req: { socket } };
    const response = Object.assign(new EventEmitter() as EventEmitter & ServerResponse, state);
    return Object.assign(response, {
      isCut: () => socket.destroyed,
      /** Makes the client read all but this many bytes. */
      readTo: (bytes: number) => Object.assign(response, { writableLength: bytes }),
    });
  }

  test("counts unread bytes until the response is closed", () => {
    const bytes = createUnreadBytes({ total: 100, perAccount: 100 });
    bytes.count(unread(0), "a");
    bytes.count(Object.assign(unread(7), { destroyed: true }), "a");
    expect(bytes.load()).toEqual({ bytes: 0, cut: 0 });
    const [first, second] = [unread(60), unread(40)];
    bytes.count(first, "a");
    bytes.count(second, "a");
    expect(bytes.load()).toEqual({ bytes: 100, cut: 0 });
    second.readTo(10);
    expect(bytes.load()).toEqual({ bytes: 70, cut: 0 });
    first.emit("close");
    expect(bytes.load()).toEqual({ bytes: 10, cut: 0 });
    expect([first.isCut(), second.isCut()]).toEqual([false, false]);
  });

  test("counts a response again whenever it is written to, and cuts none whose client has read meanwhile", () => {
    const bytes = createUnreadBytes({ total: 100, perAccount: 50 });
    const [download, other] = [unread(20), unread(20)];
    bytes.count(download, "a");
    bytes.count(other, "a");
    for (let chunk = 0; chunk < 10; chunk++) bytes.count(download.readTo(25), "a");
    expect(bytes.load()).toEqual({ bytes: 45, cut: 0 });
    download.readTo(0);
    bytes.count(unread(30), "a");
    expect(bytes.load()).toEqual({ bytes: 50, cut: 0 });
    download.emit("close");
    expect([download.listenerCount("close"), download.isCut()]).toEqual([0, false]);
  });

  test("cuts the one that was written to the longest time ago, and not one that has nothing waiting", () => {
    const bytes = createUnreadBytes({ total: 100, perAccount: 50 });
    const [read, download, stuck] = [unread(10), unread(20), unread(20)];
    for (const response of [read, download, stuck, download]) bytes.count(response, "a");
    read.readTo(0);
    bytes.count(unread(20), "a");
    expect([read, download, stuck].map((response) => response.isCut())).toEqual([false, false, true]);
  });

  test("cuts the oldest of the account that has most, which may be those without an account", () => {
    const bytes = createUnreadBytes({ total: 100, perAccount: 100 });
    const all = [unread(30), unread(30), unread(20), unread(30)];
    for (const [at, id] of ["b", undefined, undefined, "a"].entries()) bytes.count(all[at]!, id);
    expect(all.map((response) => response.isCut())).toEqual([false, true, false, false]);
    expect(bytes.load()).toEqual({ bytes: 80, cut: 1 });
  });

  test("leaves an account a response that is larger than its limit, as long as it is the only one", () => {
    const bytes = createUnreadBytes({ total: 100, perAccount: 10 });
    const [large, second] = [unread(11), unread(6)];
    bytes.count(large, "a");
    expect(bytes.load()).toEqual({ bytes: 11, cut: 0 });
    bytes.count(second, "a");
    expect([large, second].map((response) => response.isCut())).toEqual([true, false]);
  });

  test("keeps the count of an account when the connection of a cut response is finally closed", () => {
    const bytes = createUnreadBytes({ total: 100, perAccount: 10 });
    const [large, second, third] = [unread(11), unread(6), unread(6)];
    bytes.count(large, "a");
    bytes.count(second, "a");
    large.emit("close");
    // The handler of a cut response still writes.
    bytes.count(large, "a");
    bytes.count(third, "a");
    expect([large, second, third].map((response) => response.isCut())).toEqual([true, true, false]);
    expect(bytes.load()).toEqual({ bytes: 6, cut: 2 });
  });
});

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
/** Requests a list and reads none of it. */
async function unreadList(key: string): Promise<Socket> {
  const socket = connect(gateway.port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(`GET /api/v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** The key of each ended request. These responses were cut, because the clients do not read. */
const cut = () => gateway.lines.filter(({ route }) => route).map(({ key }) => key);

/** Resolves once records has received this many requests for lists. */
const asked = (count: number) => eventually(() => expect(lists).toBe(count));

describe("an unread response", () => {
  afterEach(() => gateway.end());

  test("is cut when its client has not read for a while, and its connection is closed", async () => {
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

  test("that is read at once is not cut", async () => {
    await start({ unreadLimits: { total: 9 * MIB, perAccount: 9 * MIB } });
    const { key } = await gateway.newKey();
    for (let n = 0; n < 5; n++) expect((await gateway.send("GET", "/orders", { key })).status).toBe(200);
    const text = await gateway.metrics.render();
    expect(text).toMatch(/^gateway_bytes_waiting(\{.*\})? 0$/m);
    expect(text).toMatch(/^gateway_answers_cut(\{.*\})? 0$/m);
  });
});
