import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { exchange } from "@shipping/kit/testing/raw-http";
import { type GatewayUnderTest, gatewayUnderTest } from "../testing/gateway-under-test.js";
import { spendCpu } from "../testing/spend-cpu.js";
import { DEFAULT_PACE } from "./pace.js";

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

/** A form of the developer area. After the whole form has arrived, the gateway makes a session token for it. */
const FORM = [
  "POST /developers/sign-in/link/confirm HTTP/1.1",
  "Host: gateway",
  "Connection: close",
  "Sec-Fetch-Site: same-origin",
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Length: 8",
  "",
  "link=abc",
].join("\r\n");

test.each([
  ["stays", (port: number) => exchange(port, FORM, "")],
  ["has gone by then", async (port: number) => void connect(port, "127.0.0.1").end(FORM).resume().destroySoon()],
])("what a form costs after it has arrived is paid by its client, which %s", async (_what, send) => {
  let made = 0;
  const random = (bytes: number) => {
    if (bytes === 32 && made++ === 0) spendCpu(400);
    return randomBytes(bytes);
  };
  const gateway = await gatewayUnderTest({ developerArea: {}, paceLimits: DEFAULT_PACE, random });
  try {
    await send(gateway.port);
    await eventually(() => expect(made).toBe(1));
    await exchange(gateway.port, "GET /favicon.ico HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n", "");
    const line = await eventually(() => {
      const found = gateway.lines.find(({ route }) => route === "/favicon.ico");
      expect(found).toBeDefined();
      return found;
    });
    // 400 ms at a tenth of a CPU are 4 s, less the burst, and less the time since then.
    expect(line?.paced_ms).toBeGreaterThan(300);
  } finally {
    await gateway.end();
  }
});
