import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "@shipping/local/servers/server-process";

/** A server that is to run for as long as the cluster does. */
export interface Server {
  name: string;
  /** `host:port`. */
  address: string;
  /** Starts it: gives the process to `spawned` as soon as there is one, resolves when it is ready, rejects when it ended instead. */
  start(spawned: (server: ServerProcess) => void): Promise<unknown>;
}

/** A server that is kept running. */
export interface Supervised {
  /** Resolves when it is ready for the first time. */
  ready: Promise<void>;
  /** Asks it to end and starts it no more. */
  stop(fast?: boolean): Promise<void>;
  /** Makes it end. */
  kill(): void;
}

const RESTART_MS = 1_000;

/** Starts a server, and again one second after it ended, whatever the reason and as often as it takes. It is never ended for being slow. */
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

  /** Runs it once, and says how it ended. */
  async function run(): Promise<string> {
    try {
      await server.start(spawned);
      becameReady();
      return (await current?.exited) ?? "no process";
    } catch (error) {
      // As a rule it has ended. One that has not would hold the address of the next.
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
      watcher.say(`${server.name} ended (${end}); it starts again in a second.`);
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
