import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "./server-process.js";

export interface Server {
  name: string;
  /** The `host:port` of the server. */
  address: string;
  /** Starts it: calls `spawned` with the process as soon as it exists, resolves when it is ready, and rejects if it ends instead. */
  start(spawned: (server: ServerProcess) => void): Promise<unknown>;
}

export interface Supervised {
  /** Resolves when it is ready for the first time. */
  ready: Promise<void>;
  /** Stops it, and does not restart it. */
  stop(fast?: boolean): Promise<void>;
  kill(): void;
}

const RESTART_MS = 1_000;

/** Starts a server, and restarts it one second after it ends, for whatever reason. It is never killed for being slow. */
export function supervise(
  server: Server,
  watcher: { spawned(pid: number): void; say(line: string): void },
): Supervised {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: ServerProcess | undefined;
  let becameReady = () => {};
  const ready = new Promise<void>((resolve) => {
    becameReady = resolve;
  });
  let stopFast = false;

  function spawned(process: ServerProcess): void {
    current = process;
    watcher.spawned(process.pid);
    if (signal.aborted) void process.stop(stopFast);
  }

  /** Runs it once, and returns how it ended. */
  async function run(): Promise<string> {
    try {
      await server.start(spawned);
      becameReady();
      return (await current?.exited) ?? "no process";
    } catch (error) {
      // Usually the process has ended. If not, it would keep the port that the next one needs.
      current?.kill();
      await current?.exited;
      return error instanceof Error ? error.message : String(error);
    } finally {
      current = undefined;
    }
  }

  async function keepRunning(): Promise<void> {
    while (!signal.aborted) {
      const end = await run();
      if (signal.aborted) return;
      watcher.say(`${server.name} exited (${end}). Restarting it in one second.`);
      await sleep(RESTART_MS, undefined, { signal }).catch(() => {});
    }
  }

  const over = keepRunning();
  return {
    ready,
    kill: () => current?.kill(),
    async stop(fast = false) {
      stopFast = fast;
      stopping.abort();
      await current?.stop(fast);
      await over;
    },
  };
}
