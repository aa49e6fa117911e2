import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A server that this process started and will stop. */
export interface ServerProcess {
  pid: number;
  /** Resolves when it has ended, asked to or not, with how: `exit 1`, `SIGKILL`. */
  exited: Promise<string>;
  /** Asks it to end, and waits until it has. */
  stop(fast?: boolean): Promise<void>;
  /** Makes it end, and does not wait. */
  kill(): void;
}

/** How a server is asked to end, how when there is little time, and how it is made to after `patienceMs` (10 s). */
export interface StopSignals {
  stop: NodeJS.Signals;
  fast?: NodeJS.Signals;
  force: NodeJS.Signals;
  patienceMs?: number;
}

export interface ServerProgram {
  program: string;
  args: readonly string[];
  /** Its user, environment and working directory where these are not ours. */
  options?: SpawnOptions;
  /** Stands in the line of its log (standard error) that says that it takes connections. */
  ready: string;
  signals: StopSignals;
  log?: ((line: string) => void) | undefined;
  /** Gets the process as soon as there is one, long before it is ready. */
  spawned?: ((server: ServerProcess) => void) | undefined;
}

/** Starts a server and waits until it is ready, however long that takes. If it ends instead, the error holds its last words. */
export async function startServerProcess(server: ServerProgram): Promise<ServerProcess> {
  // Detached, so that Ctrl-C in a terminal reaches us alone: what we need while we stop ends last.
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

/** The hand on a server that was spawned just now. */
export function serverProcess(child: ChildProcess, signals: StopSignals): ServerProcess {
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
    child.once("close", () => failed(new Error(words.join(" | ") || "it ended without a word")));
  });
}
