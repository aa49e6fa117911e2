import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A server that this process started and will stop. */
export interface ServerProcess {
  pid: number;
  /** Resolves when it has ended, with how it ended: `exit 1`, `SIGKILL`. */
  exited: Promise<string>;
  /** Stops it, and waits until it has ended. */
  stop(fast?: boolean): Promise<void>;
  /** Kills it, and does not wait for its end. */
  kill(): void;
}

/** The signals of a normal stop, of a fast one, and of a forced one after `patienceMs` (10 s). */
export interface StopSignals {
  stop: NodeJS.Signals;
  fast?: NodeJS.Signals;
  force: NodeJS.Signals;
  patienceMs?: number;
}

export interface ServerProgram {
  program: string;
  args: readonly string[];
  /** The user, environment and working directory of the server, if they differ from ours. */
  options?: SpawnOptions;
  /** The text in its log (standard error) that shows that it accepts connections. */
  ready: string;
  signals: StopSignals;
  log?: ((line: string) => void) | undefined;
  /** Called with the process as soon as it exists, long before it is ready. */
  spawned?: ((server: ServerProcess) => void) | undefined;
}

const running = new Map<ChildProcess, NodeJS.Signals>();
process.on("exit", () => {
  for (const [child, signal] of running) child.kill(signal);
});

/** Kills a child process with `signal` when this process exits, except by SIGKILL. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  running.set(child, signal);
  child.once("exit", () => running.delete(child));
}

/** Starts a server and waits until it is ready, however long that takes. If it ends instead, the error contains the end of its log. */
export async function startServerProcess(server: ServerProgram): Promise<ServerProcess> {
  // The server is detached, so that Ctrl-C in a terminal reaches only us: servers that we need during the stop must end last.
  const child = spawn(server.program, server.args, {
    ...server.options,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const started = serverProcess(child, server.signals);
  if (child.pid !== undefined) server.spawned?.(started);
  await readiness(child, server);
  return started;
}

/** The handle of a server that was just spawned. */
export function serverProcess(child: ChildProcess, signals: StopSignals): ServerProcess {
  endWithUs(child, signals.force);
  const exited = new Promise<string>((done) => child.once("exit", (code, signal) => done(signal ?? `exit ${code}`)));
  return {
    pid: child.pid as number,
    exited,
    kill: () => void child.kill(signals.force),
    async stop(fast = false) {
      child.kill((fast && signals.fast) || signals.stop);
      const impatience = setTimeout(() => child.kill(signals.force), signals.patienceMs ?? 10_000);
      await exited;
      clearTimeout(impatience);
    },
  };
}

function readiness(child: ChildProcess, server: ServerProgram): Promise<void> {
  return new Promise((done, failed) => {
    const words: string[] = [];
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on("line", (line) => {
      server.log?.(line);
      if (line.includes(server.ready)) done();
      words.push(line);
      if (words.length > 5) words.shift();
    });
    child.once("error", failed);
    child.once("close", () => failed(new Error(words.join(" | ") || "it exited without a message")));
  });
}
