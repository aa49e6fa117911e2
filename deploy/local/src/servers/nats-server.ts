import { resolve } from "node:path";
import { type ServerProcess, startServerProcess } from "@shipping/local/servers/server-process";
import getPort from "get-port";
import { environment } from "../config.js";
import type { BusAuthorization } from "./bus-users.js";
import type { NatsProgram } from "./find-nats-server.js";

export interface NatsServer extends ServerProcess {
  url: string;
}

/** The place of a server in a NATS cluster on 127.0.0.1. */
export interface ClusterMember {
  /** The server's name, which must stay the same, because the others identify the server by it. */
  name: string;
  /** The port on which the other servers reach it. */
  routePort: number;
  /** The ports on which all servers of the cluster reach each other. */
  routePorts: readonly number[];
}

/** Starts NATS on 127.0.0.1 and waits until it accepts connections. `spawned` gets the process as soon as it exists. */
export async function startNatsServer(options: {
  program: NatsProgram;
  dataDir: string;
  port?: number;
  /** The users of the server; without them it accepts anonymous clients. */
  authorization?: BusAuthorization;
  /** The server's place in a cluster; without one it runs alone. */
  member?: ClusterMember | undefined;
  log?: (line: string) => void;
  spawned?: (server: ServerProcess) => void;
}): Promise<NatsServer> {
  const dataDir = resolve(options.dataDir);
  const port = options.port ?? (await getPort({ host: "127.0.0.1" }));
  const users = options.authorization;
  const server = startServerProcess({
    program: options.program.path,
    args: [
      ...["-js", "-sd", dataDir, "-a", "127.0.0.1", "-p", String(port)],
      ...(users ? ["-c", users.configFile] : []),
      ...(options.member ? memberArgs(options.member) : []),
    ],
    options: { env: { ...environment(), ...users?.env } },
    ready: "Server is ready",
    signals: { stop: "SIGTERM", force: "SIGKILL" },
    log: options.log,
    spawned: options.spawned,
  });
  try {
    return { ...(await server), url: `nats://127.0.0.1:${port}` };
  } catch (error) {
    throw new Error(`nats-server did not start: ${(error as Error).message}`);
  }
}

function memberArgs({ name, routePort, routePorts }: ClusterMember): string[] {
  const route = (port: number) => `nats://127.0.0.1:${port}`;
  const [own, all] = [route(routePort), routePorts.map(route).join(",")];
  return ["--name", name, "--cluster_name", "shipping", "--cluster", own, "--routes", all];
}
