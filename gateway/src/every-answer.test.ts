import { connect, type Socket } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { type GatewayUnderTest, gatewayUnderTest, ORDER_ID } from "./testing/gateway-under-test.js";

const MIB = 1024 * 1024;

/** A list of orders of 16 MiB, which is more than a kernel buffers for a connection. */
const reference = "x".repeat(168_000);
const LIST = Buffer.from(JSON.stringify(Array.from({ length: 100 }, () => ({ id: ORDER_ID, reference }))));

let gateway: GatewayUnderTest;
let lists: number;
/** On a busy machine, clients do not read for longer than the default limit. */
const PATIENT_MS = 300_000;

async function start({ perAccount, stallMs = PATIENT_MS }: { perAccount: number; stallMs?: number }): Promise<void> {
  lists = 0;
  gateway = await gatewayUnderTest({
    listening: { stallMs, unreadLimits: { total: 200 * MIB, perAccount } },
    records: {
      listOrders() {
        lists++;
        return { data: LIST };
      },
    },
  });
}
afterEach(() => gateway.end());

type Reader = Awaited<ReturnType<GatewayUnderTest["newKey"]>>;

const listOf = ({ key }: Reader) => `GET /api/v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;

/** Sends requests and reads no response. */
function ask(...requests: string[]): Socket {
  const socket = connect(gateway.port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(requests.join(""));
  return socket;
}

async function gauge(name: string): Promise<number> {
  return Number(new RegExp(`^${name}(?:{.*})? (\\d+)$`, "m").exec(await gateway.metrics.render())?.[1]);
}

const waitingMib = async () => (await gauge("http_bytes_waiting")) / MIB;

/** The accounts of the ended requests. Their responses were cut, because the clients do not read. */
const ended = () => gateway.lines.filter(({ route }) => route).map(({ account }) => account);

/** Resolves once records has received this many requests for lists. */
const asked = (count: number) => eventually(() => expect(lists).toBe(count));

describe("an unread response", () => {
  test("counts for its account", async () => {
    await start({ perAccount: 20 * MIB });
    const [reader, other] = [await gateway.newKey(), await gateway.newKey()];
    ask(listOf(other));
    await asked(1);
    ask(listOf(reader));
    ask(listOf(reader));
    // The first response that is written is cut for the other.
    await eventually(() => expect(ended()).toEqual([reader.accountId]));
    expect(await waitingMib()).toBeGreaterThan(30);
  });

  test("counts for the account of its request, even behind an answer to another account on the same connection", async () => {
    await start({ perAccount: 20 * MIB });
    const [first, second] = [await gateway.newKey(), await gateway.newKey()];
    ask(listOf(first), listOf(second));
    await asked(2);
    ask(listOf(second));
    await eventually(() => expect(ended().sort()).toEqual([first.accountId, second.accountId].sort()));
    expect(await waitingMib()).toBeLessThan(20);
    expect(await gauge("http_answers_cut")).toBe(1);
    expect(await gauge("http_bytes_waiting_max")).toBe(200 * MIB);
  });

  test("is forgotten when its connection is closed, even behind others", async () => {
    await start({ perAccount: 20 * MIB });
    const readers = [await gateway.newKey(), await gateway.newKey(), await gateway.newKey()];
    const socket = ask(...readers.map(listOf));
    await asked(3);
    socket.destroy();
    await eventually(() => expect(ended().sort()).toEqual(readers.map(({ accountId }) => accountId).sort()));
    expect(await waitingMib()).toBe(0);
  });

  test("is cut when its client has not read for a while", async () => {
    await start({ perAccount: 20 * MIB, stallMs: 500 });
    const reader = await gateway.newKey();
    const socket = ask(listOf(reader));
    await eventually(() => expect(ended()).toEqual([reader.accountId]));
    await eventually(() => expect(socket.resume().closed).toBe(true));
    expect(socket.bytesRead).toBeLessThan(16 * MIB);
  });
});
