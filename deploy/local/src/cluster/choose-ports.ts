import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { toOrigin } from "@shipping/kit/process/config";
import { PART_NAMES, PARTS, type PartFacts, type PartName } from "@shipping/proto/parts";
import type { ClusterOptions } from "./options.js";

/** The declarations of the parts. */
export type Declared = Readonly<Record<PartName, PartFacts>>;

/** A use of a port. */
export type Use = keyof PartFacts["ports"];

/** The ports of a process, by their use: those that its part declares. */
export type ProcessPorts = Partial<Record<Use, number>> & { ops: number };

/** The ports of each part's processes. */
export type PartPorts = Readonly<Record<PartName, readonly ProcessPorts[]>>;

export interface Ports {
  /** The port of the one public address. */
  front: number;
  parts: PartPorts;
  postgres: number;
  /** One port for each NATS server. */
  nats: number[];
  /** The ports on which these servers reach each other; empty for a single server. */
  natsRoutes: number[];
}

/** The number of processes of each part, and what else needs ports. */
type Wanted = Pick<ClusterOptions, "port" | "nats"> & { replicas: Readonly<Record<PartName, number>> };

// These ports are below the ephemeral ports of Linux, macOS and Windows: an outgoing connection could take the port of a server that
// restarts.
const FROM = 15_000;
const TO = 32_000;

/** The public address gets the requested port, and public parts those after it, in the order of the parts; all others are free ports. */
export async function choosePorts({ replicas, port, nats }: Wanted, declared: Declared = PARTS): Promise<Ports> {
  const usesOf = (part: PartName) =>
    (Object.keys(declared[part].ports) as Use[]).filter(
      (use) => use !== "internal" || isRequested(part, replicas, declared),
    );
  const uses = PART_NAMES.flatMap((part) => Array.from({ length: replicas[part] }, () => usesOf(part)).flat());
  const publicPorts = 1 + uses.filter((use) => use === "http").length;
  const wanted = port === 0 ? [] : Array.from({ length: publicPorts }, (_, index) => port + index);
  for (const one of wanted) {
    if (!(await isFree(one)))
      throw new Error(`Port ${one} is in use. Stop the program that uses it, or choose another port with --port.`);
  }
  const free = await freePorts(2 + uses.length + 2 * nats);
  const take = () => free.pop()!;
  const takePublic = () => wanted.shift() ?? take();
  const front = takePublic();
  const portsOf = (part: PartName) =>
    Array.from(
      { length: replicas[part] },
      () =>
        Object.fromEntries(usesOf(part).map((use) => [use, use === "http" ? takePublic() : take()])) as ProcessPorts,
    );
  return {
    front,
    parts: Object.fromEntries(PART_NAMES.map((part) => [part, portsOf(part)])) as Record<PartName, ProcessPorts[]>,
    postgres: take(),
    nats: Array.from({ length: nats }, take),
    natsRoutes: nats > 1 ? Array.from({ length: nats }, take) : [],
  };
}

/** Whether a part that runs calls another at its internal port, which is closed otherwise. */
function isRequested(part: PartName, replicas: Wanted["replicas"], declared: Declared): boolean {
  const running = PART_NAMES.filter((one) => replicas[one] > 0);
  const requests = running.flatMap((one) => Object.values(declared[one].requests));
  return requests.some((request) => request.part === part && request.port === "internal");
}

/** Returns the URLs of one use of a part's processes. */
export function urlsOf(host: string, ports: PartPorts, part: PartName, use: Use): string[] {
  return ports[part].flatMap((own) => own[use] ?? []).map((port) => toOrigin(host, port));
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
