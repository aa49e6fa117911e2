import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A server that this process started and will stop. */
export interface ServerProcess {
  pid: number;
  /** Resolves when it has ended, asked to or not. */
  exited: Promise<void>;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
}

export interface ServerProgram {
  program: string;
  args: readonly string[];
  /** Its user, environment and working directory where these are not ours. */
  options?: SpawnOptions;
  /** Stands in the line of its log (standard error) that says that it takes connections. */
  ready: string;
  /** How it is asked to end, and how it is made to after ten seconds. */
  signals: { stop: NodeJS.Signals; force: NodeJS.Signals };
  log?: ((line: string) => void) | undefined;
}

/** Starts a server and waits until it is ready, however long that takes. If it ends instead, the error holds its last words. */
export async function startServerProcess(server: ServerProgram): Promise<ServerProcess> {
  // Detached, so that Ctrl-C in a terminal reaches us alone: what we need while we stop ends last.
  const child = spawn(server.program, server.args, {
    ...server.options,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  await readiness(child, server);
  return { pid: child.pid as number, exited, stop: () => stop(child, exited, server.signals) };
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

async function stop(child: ChildProcess, exited: Promise<void>, signals: ServerProgram["signals"]): Promise<void> {
  child.kill(signals.stop);
  const impatience = setTimeout(() => child.kill(signals.force), 10_000);
  await exited;
  clearTimeout(impatience);
}
