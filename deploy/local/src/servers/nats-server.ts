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
  /** Its name, which must stay the same: the others identify it by that. */
  name: string;
  /** Where the others reach it. */
  routePort: number;
  /** Where all of them reach each other. */
  routePorts: readonly number[];
}

/** Starts NATS on 127.0.0.1 and waits until it takes connections. `spawned` gets the process as soon as there is one. */
export async function startNatsServer(options: {
  program: NatsProgram;
  dataDir: string;
  port?: number;
  /** Its users; without them it accepts anonymous clients. */
  authorization?: BusAuthorization;
  /** Its place in a cluster; without one it is alone. */
  member?: ClusterMember | undefined;
  log?: (line: string) => void;
  spawned?: (server: ServerProcess) => void;
}): Promise<NatsServer> {
  const dataDir = resolve(options.dataDir);
  const port = options.port ?? (await getPort({ host: "127.0.0.1" }));
  const users = options.authorization;
  if (options.member && "image" in options.program) {
    throw new Error("A NATS cluster needs the program nats-server. Install it on your PATH.");
  }
  const server =
    "image" in options.program
      ? startNatsContainer({ ...options, image: options.program.image, dataDir, port })
      : startServerProcess({
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

const CONFIG_FILE = "/etc/nats-users.conf";

/** Starts NATS in Docker, if there is no other way. The container ends with this process at the latest. */
export async function startNatsContainer(options: {
  image: string;
  dataDir: string;
  port: number;
  authorization?: BusAuthorization;
  spawned?: (server: ServerProcess) => void;
}): Promise<ServerProcess> {
  // Loaded here, since it is rarely needed and takes a second.
  const { GenericContainer, getContainerRuntimeClient } = await import("testcontainers");
  const users = options.authorization;
  const files = users ? [{ source: users.configFile, target: CONFIG_FILE }] : [];
  const started = await new GenericContainer(options.image)
    .withCommand(["-js", "-sd", "/data", ...(users ? ["-c", CONFIG_FILE] : [])])
    .withCopyFilesToContainer(files)
    .withEnvironment({ ...users?.env } as Record<string, string>)
    .withBindMounts([{ source: options.dataDir, target: "/data" }])
    .withExposedPorts({ container: 4222, host: options.port })
    .start();
  const { container } = await getContainerRuntimeClient();
  const handle = container.getById(started.getId());
  const { State } = await container.inspect(handle);
  const ended = () => "container ended";
  const exited = handle.wait().then(ended, ended);
  const server: ServerProcess = {
    pid: State.Pid,
    exited,
    kill: () => void handle.kill().catch(() => {}),
    async stop() {
      await started.stop();
      await exited;
    },
  };
  options.spawned?.(server);
  return server;
}
