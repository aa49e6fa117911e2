import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Shipping, type TestHeaderOptions, webhooks } from "./shipping.js";
import { errorOf } from "./testing/loopback.js";

interface Vector {
  name: string;
  secret: string;
  header: string;
  body: string;
  valid: boolean;
}

const vectors: Vector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../docs/webhook-vectors.json"), "utf8"),
);
const signedOnce = vectors.filter(({ valid, header }) => valid && /^t=\d+,v1=[0-9a-f]{64}$/.test(header));
const { testHeader } = Shipping.webhooks;
const secret = "whsec_test";
const payload = '{"id":"evt_1","type":"label.created"}';

describe("webhooks.testHeader", () => {
  test("there are vectors to compare it with", () => {
    expect(signedOnce.length).toBeGreaterThan(10);
  });

  test.each(signedOnce)("$name: signs as the platform does", async ({ header, body, secret: own }) => {
    const timestamp = Number(/^t=(\d+)/.exec(header)?.[1]);
    expect(await testHeader({ payload: Buffer.from(body, "base64"), secret: own, timestamp })).toBe(header);
  });

  test("is signed now unless a time is given, and a receiver over HTTP takes it", async () => {
    const server = createServer(async (request, response) => {
      const signature = request.headers["service-signature"];
      const event = await webhooks.verify(await buffer(request), signature, secret).catch(() => undefined);
      response.writeHead(event ? 204 : 400).end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = async (options: Partial<TestHeaderOptions>) => {
      const header = await testHeader({ payload, secret, ...options });
      return (await fetch(url, { method: "POST", body: payload, headers: { "service-signature": header } })).status;
    };
    try {
      expect(await send({})).toBe(204);
      expect(await send({ timestamp: Math.floor(Date.now() / 1000) - 400 })).toBe(400);
      expect(await send({ secret: "whsec_other" })).toBe(400);
      expect(await send({ payload: `${payload} ` })).toBe(400);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test.each<[options: object, names: string]>([
    [{ payload: { id: "evt_1" } }, "payload"],
    [{ payload: undefined }, "payload"],
    [{ secret: "test" }, "secret"],
    [{ secret: undefined }, "secret"],
    [{ timestamp: 1.5 }, "timestamp"],
    [{ timestamp: -1 }, "timestamp"],
    [{ timestamp: Number.NaN }, "timestamp"],
    [{ timestamp: 1e12 }, "timestamp"],
  ])("refuses %j", async (options, names) => {
    expect(await errorOf(testHeader({ payload, secret, ...options }))).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining(names),
    });
  });

  test("is the export's and the class's", () => {
    expect(Shipping.webhooks).toBe(webhooks);
  });
});
