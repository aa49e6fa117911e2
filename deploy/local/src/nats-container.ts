import type { ServerProcess } from "@shipping/kit/server-process";

/** Starts NATS in Docker, where there is no other way. The container ends with this process at the latest. */
export async function startNatsContainer(image: string, dataDir: string, port: number): Promise<ServerProcess> {
  // Loaded here, since hardly anyone needs it and it takes a second.
  const { GenericContainer, getContainerRuntimeClient } = await import("testcontainers");
  const started = await new GenericContainer(image)
    .withCommand(["-js", "-sd", "/data"])
    .withBindMounts([{ source: dataDir, target: "/data" }])
    .withExposedPorts({ container: 4222, host: port })
    .start();
  const { container } = await getContainerRuntimeClient();
  const handle = container.getById(started.getId());
  const { State } = await container.inspect(handle);
  const ended = () => {};
  const exited = handle.wait().then(ended, ended);
  const stop = async () => {
    await started.stop();
    await exited;
  };
  return { pid: State.Pid, exited, stop };
}
