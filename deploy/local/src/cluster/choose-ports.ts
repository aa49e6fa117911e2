import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import type { PublicPart } from "@shipping/kit/http/public-paths";
import { isPublic, mapParts, type Part } from "../parts.js";
import type { ClusterOptions } from "./options.js";

export interface Ports {
  /** The port of the one public address. */
  front: number;
  /** One port for each replica of a part: for public HTTP, or else for RPC. */
  parts: Record<Part, number[]>;
  /** The ports for RPC of the parts with public HTTP. */
  rpc: Record<PublicPart, number[]>;
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
export async function choosePorts(options: Pick<ClusterOptions, "replicas" | "port" | "nats">): Promise<Ports> {
  const { replicas, port, nats } = options;
  const publicPorts = 1 + replicas.gateway + replicas.portal;
  const wanted = port === 0 ? [] : Array.from({ length: publicPorts }, (_, index) => port + index);
  for (const one of wanted) {
    if (!(await isFree(one)))
      throw new Error(`Port ${one} is in use. Stop the program that uses it, or choose another port with --port.`);
  }
  const processes = Object.values(replicas).reduce((sum, count) => sum + count, 0);
  const free = await freePorts(2 * processes + publicPorts + 1 + 2 * nats);
  const take = (count: number) => free.splice(0, count);
  const takePublic = (count: number) => (wanted.length > 0 ? wanted.splice(0, count) : take(count));
  const [postgres] = take(1) as [number];
  const [front] = takePublic(1) as [number];
  return {
    front,
    parts: mapParts((part) => (isPublic(part) ? takePublic : take)(replicas[part])),
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
