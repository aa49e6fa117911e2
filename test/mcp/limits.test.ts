import { connect } from "node:net";
import { type GatewayUnderTest, gatewayUnderTest } from "@shipping/gateway/testing/gateway-under-test";
import { eventually } from "@shipping/kit/testing/eventually";
import { samplesIn } from "@shipping/kit/testing/samples";
import { callOf, type McpUnderTest, mcpUnderTest, PING } from "./mcp-under-test.js";

const AT_ONCE = 4;
const MIB = 1024 * 1024;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(
  options: Parameters<typeof gatewayUnderTest>[0] = {},
  of: Parameters<typeof mcpUnderTest>[1] = {},
): Promise<{ gateway: GatewayUnderTest; mcp: McpUnderTest }> {
  const gateway = await gatewayUnderTest(options);
  ends.push(gateway.end);
  const mcp = await mcpUnderTest([gateway.internalPort], of);
  ends.push(mcp.end);
  return { gateway, mcp };
}

describe("messages in progress", () => {
  /** Lists that records holds back until they are released. */
  let held: (() => void)[];
  const startHolding = () => {
    held = [];
    return start({
      // These limits are so high that only the limit of messages makes an account wait.
      bulkheadLimits: { total: 10_000, perAccount: 1_000 },
      records: {
        async listOrders() {
          await new Promise<void>((resolve) => held.push(resolve));
          return { data: Buffer.from("[]") };
        },
      },
    });
  };
  const body = callOf("listOrders");

  test("an account has four, whatever its key, and its others wait; those of another account do not", async () => {
    const { gateway, mcp } = await startHolding();
    const [{ key }, { key: other }] = [await gateway.newKey(), await gateway.newKey()];
    const answers = Array.from({ length: 12 }, () => mcp.send({ key, body }));
    await eventually(() => expect(held).toHaveLength(AT_ONCE));
    const othersAnswer = mcp.send({ key: other, body });
    await eventually(() => expect(held).toHaveLength(AT_ONCE + 1));
    expect(samplesIn(await mcp.metrics.render())).toMatchObject({
      'mcp_messages_under_way{part="mcp"}': AT_ONCE + 1,
      'mcp_messages_waiting{part="mcp"}': 12 - AT_ONCE,
    });
    const all = Promise.all([...answers, othersAnswer]);
    let isAnswered = false;
    void all.finally(() => (isAnswered = true));
    await eventually(() => {
      for (const release of held.splice(0)) release();
      expect(isAnswered).toBe(true);
    });
    expect((await all).map(({ status }) => status)).toEqual(Array(13).fill(200));
  });

  test("one whose client has disconnected makes room for the next", async () => {
    const { gateway, mcp } = await startHolding();
    const { key } = await gateway.newKey();
    const gone = new AbortController();
    const left = Array.from({ length: AT_ONCE }, () => mcp.send({ key, body }, gone.signal).catch(() => "gone"));
    await eventually(() => expect(held).toHaveLength(AT_ONCE));
    const next = mcp.send({ key, body });
    gone.abort();
    expect(await Promise.all(left)).toEqual(Array(AT_ONCE).fill("gone"));
    await eventually(() => expect(held).toHaveLength(AT_ONCE + 1));
    for (const release of held) release();
    expect((await next).status).toBe(200);
  });
});

test("bad keys slow only their sender", async () => {
  // A refusal every five seconds for each address.
  const { gateway, mcp } = await start({ paceLimits: { perSecond: 0.2, burst: 1 } }, { proxies: 1 });
  const { key } = await gateway.newKey();
  const from = (address: string) => ({ "X-Forwarded-For": address });
  const gone = new AbortController();
  let refused = 0;
  const bad = Array.from({ length: 8 }, (_, n) =>
    mcp
      .send({ key: `service_test_${n}`, headers: from("203.0.113.1"), body: PING }, gone.signal)
      .then(() => refused++)
      .catch(() => "gone"),
  );
  await eventually(() => expect(refused).toBeGreaterThan(0));
  for (const body of [PING, callOf("listOrders"), callOf("listOrders")])
    expect((await mcp.send({ key, headers: from("203.0.113.1"), body })).status).toBe(200);
  expect((await mcp.send({ key: "service_test_x", headers: from("203.0.113.2"), body: PING })).status).toBe(401);
  expect(refused).toBeLessThan(bad.length - 1);
  gone.abort();
  await Promise.all(bad);
});

test("a response that an agent does not read is cut for the next one of its account, and its gateway has sent all of it", async () => {
  // A list of 16 MiB, which the response contains twice: as text, and as an object.
  const list = Buffer.from(JSON.stringify(Array.from({ length: 100 }, () => ({ reference: "x".repeat(168_000) }))));
  let lists = 0;
  const { gateway, mcp } = await start(
    {
      records: {
        listOrders() {
          lists++;
          return { data: list };
        },
      },
    },
    { stallMs: 300_000, unreadLimits: { total: 200 * MIB, perAccount: 40 * MIB } },
  );
  const [{ key }, { key: other }] = [await gateway.newKey(), await gateway.newKey()];
  const body = JSON.stringify(callOf("listOrders"));
  /** Sends a message and does not read its response. */
  const ask = (of: string) => {
    const socket = connect(mcp.port, "127.0.0.1").pause();
    socket.on("error", () => {});
    ends.push(async () => void socket.destroy());
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${of}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    return socket;
  };
  const gauge = async (name: string) => samplesIn(await mcp.metrics.render())[`${name}{part="mcp"}`] ?? 0;
  const waitingMib = async () => (await gauge("http_bytes_waiting")) / MIB;
  const [first] = [ask(key), ask(other)];
  await eventually(async () => expect(await waitingMib()).toBeGreaterThan(55));
  expect(await gauge("http_answers_cut")).toBe(0);
  ask(key);
  await eventually(async () => expect(await gauge("http_answers_cut")).toBe(1));
  await eventually(() => expect(first.resume().closed).toBe(true));
  expect(lists).toBe(3);
  const ofGateway = samplesIn(await gateway.metrics.render());
  expect(ofGateway['http_bytes_waiting{part="gateway"}']).toBe(0);
});
