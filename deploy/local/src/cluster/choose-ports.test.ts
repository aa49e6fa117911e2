import { createServer } from "node:net";
import { PART_NAMES, PARTS, type PartName } from "@shipping/proto/parts";
import { choosePorts, urlsOf } from "./choose-ports.js";

const none = Object.fromEntries(PART_NAMES.map((part) => [part, 0])) as Record<PartName, number>;
const replicas = { ...none, gateway: 2, portal: 1, records: 2, carrier: 1, tracking: 1, webhooks: 1 };
const one = { replicas, nats: 1 };

describe("choosePorts", () => {
  test("finds different ports for all processes, below those of outgoing connections", async () => {
    const { front, parts, postgres, nats, natsRoutes } = await choosePorts({ replicas, port: 0, nats: 3 });
    expect(Object.fromEntries(Object.entries(parts).map(([part, { length }]) => [part, length]))).toEqual(replicas);
    const processes = Object.values(parts).flat();
    expect(processes.map((ports) => Object.keys(ports).sort().join(" "))).toEqual([
      ...Array(3).fill("http ops rpc"),
      ...Array(5).fill("ops rpc"),
    ]);
    const all = [front, ...processes.flatMap((ports) => Object.values(ports)), postgres, ...nats, ...natsRoutes];
    expect(new Set(all).size).toBe(1 + 3 * 3 + 5 * 2 + 1 + 3 + 3);
    expect(Math.max(...all)).toBeLessThan(32_000);
  });

  test("a single NATS server has no routes", async () => {
    const { nats, natsRoutes } = await choosePorts({ ...one, port: 0 });
    expect([nats.length, natsRoutes]).toEqual([1, []]);
  });

  test("gives the public address the requested port, and public parts those after it", async () => {
    const port = (await choosePorts({ ...one, port: 0 })).parts.records[0]!.ops;
    const { front, parts } = await choosePorts({ ...one, port });
    const http = [...parts.gateway, ...parts.portal].map((ports) => ports.http);
    expect([front, ...http]).toEqual([port, port + 1, port + 2, port + 3]);
  });

  test("opens the internal ports of a part that another one calls there", async () => {
    const { parts } = await choosePorts({ nats: 1, port: 0, replicas: { ...replicas, mcp: 1 } });
    expect(parts.gateway.map(({ internal }) => internal)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(urlsOf("::1", parts, "gateway", "internal")).toEqual(
      parts.gateway.map(({ internal }) => `http://[::1]:${internal}`),
    );
  });

  test("follows the declarations: a part that gets public HTTP has a port for it after the others", async () => {
    const port = (await choosePorts({ ...one, port: 0 })).parts.records[0]!.ops;
    const declared = { ...PARTS, tracking: { ...PARTS.tracking, ports: { http: 8080, rpc: 8090, ops: 9090 } } };
    const { parts } = await choosePorts({ ...one, port }, declared);
    expect(parts.tracking).toEqual([{ http: port + 4, rpc: expect.any(Number), ops: expect.any(Number) }]);
  });

  test("names the port that is in use", async () => {
    const port = (await choosePorts({ ...one, port: 0 })).parts.records[0]!.ops;
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(port + 1, "127.0.0.1", done));
    await expect(choosePorts({ ...one, port })).rejects.toThrow(`Port ${port + 1} is in use`);
    await new Promise((done) => taken.close(done));
  });
});
