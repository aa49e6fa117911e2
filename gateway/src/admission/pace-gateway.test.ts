import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { type GatewayUnderTest, gatewayUnderTest } from "../testing/gateway-under-test.js";

describe("a gateway", () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await gatewayUnderTest({ requestsPerMinute: 3, paceLimits: { perSecond: 10, burst: 2 } });
  });
  afterAll(() => gateway.end());

  test("paces pages, unknown paths and refused keys, but no request with a valid key", async () => {
    const { key } = await gateway.newKey();
    const send = (path: string, sent?: string) => gateway.send("GET", path, sent === undefined ? {} : { key: sent });
    const begun = performance.now();
    const [pages, refusals] = [
      ["/openapi.json", "/openapi.json"],
      [send("/orders", "nobody"), send("/none")],
    ];
    expect((await Promise.all([...pages.map((path) => send(path)), ...refusals])).map(({ status }) => status)).toEqual([
      200, 200, 401, 404,
    ]);
    expect(performance.now() - begun).toBeGreaterThan(190);
    const admitted = Array.from({ length: 3 }, () => send("/account", key));
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const from = performance.now();
    const beyond = Array.from({ length: 10 }, () => send("/account", key));
    expect(new Set((await Promise.all(beyond)).map(({ status }) => status))).toEqual(new Set([429]));
    // Two are answered at once. Each 100 ms that the previous requests took allows one more. The others wait.
    expect(performance.now() - from).toBeGreaterThan(90);
  });
});

test("while the gateway's database is down, no request is delayed: each 503 comes in time", async () => {
  const log = silentLog();
  const db = openDatabase("postgresql://nobody@127.0.0.1:1/none", { log });
  const gateway = await gatewayUnderTest({ db, paceLimits: { perSecond: 1, burst: 1 } });
  try {
    const { key } = await gateway.newKey();
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.send("GET", "/account", { key })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(performance.now() - begun).toBeLessThan(8_000);
  } finally {
    await gateway.end();
    await db.close();
  }
});
