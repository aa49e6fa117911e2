import type { ServerProcess } from "@shipping/local/servers/server-process";
import type { BusAuthorization } from "./bus-users.js";

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
