import { createServer } from "node:net";
import { choosePorts } from "./choose-ports.js";

const replicas = { gateway: 2, portal: 1, records: 2, carrier: 1, tracking: 1, webhooks: 1 };
const one = { replicas, nats: 1, mcp: false };

describe("choosePorts", () => {
  test("finds different ports for all processes, below those of outgoing connections", async () => {
    const { front, parts, rpc, ops, postgres, nats, natsRoutes } = await choosePorts({
      replicas,
      port: 0,
      nats: 3,
      mcp: false,
    });
    expect(Object.entries(parts).map(([part, ports]) => [part, ports.length])).toEqual(Object.entries(replicas));
    expect([rpc.gateway.length, rpc.portal.length]).toEqual([2, 1]);
    const all = [
      front,
      ...Object.values(parts).flat(),
      ...Object.values(rpc).flat(),
      ...ops,
      postgres,
      ...nats,
      ...natsRoutes,
    ];
    expect(ops).toHaveLength(8);
    expect(new Set(all).size).toBe(1 + 8 + 3 + 8 + 1 + 3 + 3);
    expect(Math.max(...all)).toBeLessThan(32_000);
  });

  test("a single NATS server has no routes", async () => {
    const { nats, natsRoutes } = await choosePorts({ ...one, port: 0 });
    expect([nats.length, natsRoutes]).toEqual([1, []]);
  });

  test("gives the public address the requested port, and gateways and portals those after it", async () => {
    const [port = 0] = (await choosePorts({ ...one, port: 0 })).ops;
    const { front, parts } = await choosePorts({ ...one, port });
    expect([front, parts.gateway, parts.portal]).toEqual([port, [port + 1, port + 2], [port + 3]]);
  });

  test("names the port that is in use", async () => {
    const [port = 0] = (await choosePorts({ ...one, port: 0 })).ops;
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(port + 1, "127.0.0.1", done));
    await expect(choosePorts({ ...one, port })).rejects.toThrow(`Port ${port + 1} is in use`);
    await new Promise((done) => taken.close(done));
  });
});
