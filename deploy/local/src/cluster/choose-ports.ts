import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { isPublic, mapParts, type Part, type PublicOwner } from "../parts.js";
import type { ClusterOptions } from "./options.js";

export interface Ports {
  /** The port of the one public address. */
  front: number;
  /** One port for each replica of a part: for public HTTP, or else for RPC. */
  parts: Record<Part, number[]>;
  /** The ports for RPC of the parts with public HTTP. */
  rpc: Record<PublicOwner, number[]>;
  /** The port of the MCP server, if the cluster has one. */
  mcp: number | undefined;
  /** The internal ports of the gateways, which the MCP server calls. */
  internal: number[];
  /** One port for each process of any part. */
  ops: number[];
  postgres: number;
  /** One port for each NATS server. */
  nats: number[];
  /** The ports on which these servers reach each other; empty for a single server. */
  natsRoutes: number[];
}

// These ports are below the ephemeral ports of Linux, macOS and Windows: an outgoing connection could take the port of a server that
// restarts.
const FROM = 15_000;
const TO = 32_000;

/** The public address gets the requested port, and gateways and portals those after it; all other processes get free ports. */
export async function choosePorts(
  options: Pick<ClusterOptions, "replicas" | "port" | "nats"> & { mcp: boolean },
): Promise<Ports> {
  const { replicas, port, nats } = options;
  const mcp = options.mcp ? 1 : 0;
  const publicPorts = 1 + replicas.gateway + replicas.portal;
  const wanted = port === 0 ? [] : Array.from({ length: publicPorts }, (_, index) => port + index);
  for (const one of wanted) {
    if (!(await isFree(one)))
      throw new Error(`Port ${one} is in use. Stop the program that uses it, or choose another port with --port.`);
  }
  const processes = Object.values(replicas).reduce((sum, count) => sum + count, mcp);
  const free = await freePorts(2 * processes + publicPorts + replicas.gateway + 1 + 2 * nats);
  const take = (count: number) => free.splice(0, count);
  const takePublic = (count: number) => (wanted.length > 0 ? wanted.splice(0, count) : take(count));
  const [postgres] = take(1) as [number];
  const [front] = takePublic(1) as [number];
  const [ofMcp] = take(mcp);
  return {
    front,
    parts: mapParts((part) => (isPublic(part) ? takePublic : take)(replicas[part])),
    mcp: ofMcp,
    internal: take(mcp * replicas.gateway),
    rpc: { gateway: take(replicas.gateway), portal: take(replicas.portal) },
    ops: take(processes),
    postgres,
    nats: take(nats),
    natsRoutes: nats > 1 ? take(nats) : [],
  };
}

async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(FROM, TO);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer().once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}
