import { eventually } from "@shipping/kit/testing/eventually";
import { type GatewayUnderTest, gatewayUnderTest } from "../testing/gateway-under-test.js";

const AT_ONCE = 4;

const body = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name: "listOrders", arguments: {} },
});

/** Lists that records holds back until they are released. */
let held: (() => void)[];
let gateway: GatewayUnderTest;
beforeEach(async () => {
  held = [];
  gateway = await gatewayUnderTest({
    mcp: { allowLive: false, readOnly: false },
    // These limits are so high that only the limit of messages makes an account wait.
    bulkheadLimits: { total: 10_000, perAccount: 1_000 },
    records: {
      async listOrders() {
        await new Promise<void>((resolve) => held.push(resolve));
        return { data: Buffer.from("[]") };
      },
    },
  });
});
afterEach(() => gateway.end());

const call = (key: string) =>
  fetch(`http://127.0.0.1:${gateway.port}/mcp`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body,
  });

test("an account has four messages in progress, and its others wait; those of another account do not", async () => {
  const [{ key }, { key: other }] = [await gateway.newKey(), await gateway.newKey()];
  const answers = Array.from({ length: 12 }, () => call(key));
  await eventually(() => expect(held).toHaveLength(AT_ONCE));
  const othersAnswer = call(other);
  await eventually(() => expect(held).toHaveLength(AT_ONCE + 1));
  const all = Promise.all([...answers, othersAnswer]);
  let isAnswered = false;
  void all.finally(() => (isAnswered = true));
  await eventually(() => {
    for (const release of held.splice(0)) release();
    expect(isAnswered).toBe(true);
  });
  expect((await all).map(({ status }) => status)).toEqual(Array(13).fill(200));
});

test("a message whose client has disconnected makes room for the next", async () => {
  const { key } = await gateway.newKey();
  const gone = new AbortController();
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const url = `http://127.0.0.1:${gateway.port}/mcp`;
  const left = Array.from({ length: AT_ONCE }, () =>
    fetch(url, { method: "POST", headers, body, signal: gone.signal }).catch(() => "gone"),
  );
  await eventually(() => expect(held).toHaveLength(AT_ONCE));
  const next = call(key);
  gone.abort();
  expect(await Promise.all(left)).toEqual(Array(AT_ONCE).fill("gone"));
  await eventually(() => expect(held).toHaveLength(AT_ONCE + 1));
  for (const release of held) release();
  expect((await next).status).toBe(200);
});
