import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { eventually } from "@shipping/kit/testing/eventually";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { freePort } from "../../platform/free-port.js";

/** The ports of a process of a part. */
export interface Ports {
  PORT: number;
  RPC_PORT: number;
  OPS_PORT: number;
}

/** A process that a trial has started beside those of a cluster. */
export interface Another {
  child: ChildProcess;
  url: string;
  opsUrl: string;
  /** Resolves when it is ready. */
  ready(withinMs?: number): Promise<void>;
  kill(): Promise<void>;
}

export const newPorts = async (): Promise<Ports> => ({
  PORT: await freePort(),
  RPC_PORT: await freePort(),
  OPS_PORT: await freePort(),
});

/** The environment and the command of a running process. */
export async function startedWith(pid: number): Promise<{ env: Record<string, string>; command: string[] }> {
  const [environment, command] = await Promise.all(
    ["environ", "cmdline"].map(async (name) => (await readFile(`/proc/${pid}/${name}`, "utf8")).split("\0")),
  );
  const pairs = environment!.filter(Boolean).map((line) => line.split(/=(.*)/s).slice(0, 2));
  return { env: Object.fromEntries(pairs), command: command!.filter(Boolean) };
}

/** Starts one more process like the one of this name, with ports of its own. */
export async function startAnother(
  cluster: ClusterUnderTest,
  name: string,
  options: {
    ports: Ports;
    /** Changes its environment. */
    adapt?: (env: Record<string, string>) => Record<string, string>;
    /** The command, given that of the other process. */
    run?: (command: string[]) => string[];
    /** The file for its output, whose last line is part of the error if it does not become ready. */
    log?: string;
    stdio?: SpawnOptions["stdio"];
  },
): Promise<Another> {
  const { ports, adapt = (env) => env, run = (command) => command, log } = options;
  const file = log === undefined ? undefined : await open(log, "a");
  const { stdio = file ? ["ignore", file.fd, file.fd] : "ignore" } = options;
  const { env, command } = await startedWith((await cluster.process(name)).pid);
  const own = Object.fromEntries(Object.entries(ports).map(([port, number]) => [port, String(number)]));
  const [program = "", ...args] = run(command);
  const child = spawn(program, args, { env: { ...adapt(env), ...own, HOST: "127.0.0.1" }, stdio });
  await file?.close();
  const opsUrl = `http://127.0.0.1:${ports.OPS_PORT}`;
  const requireReady = async () => {
    if (child.exitCode !== null) return;
    const { ok } = await fetch(`${opsUrl}/readyz`);
    if (!ok) throw new Error(`The process like ${name} is not ready.`);
  };
  return {
    child,
    url: `http://127.0.0.1:${ports.PORT}`,
    opsUrl,
    async ready(withinMs = 180_000) {
      const failure = await eventually(requireReady, { withinMs }).then(() => undefined, String);
      const ended = child.exitCode === null ? failure : `it ended with ${child.exitCode}`;
      const said = ended && log ? (await readFile(log, "utf8")).trim().split("\n").slice(-3).join("\n") : "";
      if (ended) throw new Error(`The process like ${name} is not ready: ${ended}. ${said}`);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
