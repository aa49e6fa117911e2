import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { ConfigError } from "./config.js";
import type { Log } from "./log.js";
import { Unsupported } from "./supported-versions.js";

export interface Running {
  /** Stops it gracefully; `fast` (SIGINT, SIGHUP) skips the pauses in which clients are notified first. */
  stop(fast?: boolean): Promise<void>;
}

const SAME_SIGNAL_MS = 500;
const STOP_LIMIT_MS = { SIGTERM: 30_000, SIGINT: 4_000, SIGHUP: 4_000 };

/** Reads a process's settings. An invalid setting ends the process with one sentence and no stack trace. */
export function configured<Config>(read: () => Config): Config {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Runs a part until SIGTERM or SIGINT, then stops it; a second signal, or a stop that takes too long (SIGINT: 4 s), ends it at once. SIGHUP
 * means the same as SIGINT to a process whose terminal was closed. Other signals are ignored: by default, SIGUSR1 would open Node's
 * inspector, and SIGHUP and SIGUSR2 would end the process.
 */
export async function runProcess(options: { log: Log; start(stopping: AbortSignal): Promise<Running> }): Promise<void> {
  const { log } = options;
  letHeapGrow();
  const stopping = new AbortController();
  const starting = options.start(stopping.signal);
  let stoppingSince: number | undefined;

  async function stop(signal: keyof typeof STOP_LIMIT_MS): Promise<void> {
    if (stoppingSince !== undefined) {
      // Ctrl-C can arrive twice: from the terminal, and forwarded by npm.
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    stopping.abort();
    log.info({ signal }, "stopping");
    void setTimeout(STOP_LIMIT_MS[signal], undefined, { ref: false }).then(() => {
      log.warn("stop timed out");
      process.exit(1);
    });
    try {
      await (await starting).stop(signal !== "SIGTERM");
      log.info("stopped");
      process.exit(0);
    } catch (err) {
      log.error({ err }, "stop failed");
      process.exit(1);
    }
  }

  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  const ignore = (signal: string) => log.info({ signal }, "signal ignored");
  for (const signal of ["SIGUSR1", "SIGUSR2"]) process.on(signal, ignore);
  const inTerminal = process.stdin.isTTY || process.stdout.isTTY;
  process.on("SIGHUP", () => void (inTerminal ? stop("SIGHUP") : ignore("SIGHUP")));
  // A closed terminal accepts no more lines, which is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    await starting;
  } catch (err) {
    // A process that is stopped while it waits needs no shutdown.
    if (stopping.signal.aborted) process.exit(0);
    endFor(err, log);
  }
}

/** Ends a process that cannot start. If something that it depends on is too old, it logs one line; otherwise it logs the error with its stack. */
export function endFor(err: unknown, log: Log): never {
  if (err instanceof Unsupported) log.fatal(err.message);
  else log.fatal({ err }, "start failed");
  process.exit(1);
}

/** Retries until it succeeds, and logs every second what it waits for, because parts start in any order. `stopping` and `Unsupported` end it. */
export async function waitFor<T>(
  what: string,
  { log, stopping, attempt }: { log: Log; stopping: AbortSignal | undefined; attempt(): Promise<T> },
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (err) {
      if (err instanceof Unsupported) throw err;
      log.info({ reason: toReason(err, what) }, `waiting for ${what}`);
      await setTimeout(1_000, undefined, { signal: stopping });
    }
  }
}

/** Returns the reason why a dependency of a part cannot be used. An AggregateError for several IP addresses has no message of its own. */
export function toReason(error: unknown, what: string): string {
  return (error instanceof Error ? error.message : String(error)) || `${what} not reachable`;
}

/**
 * Lets the heap grow by 300 % before it is collected; V8 lets a small heap grow by 10 to 30 %. V8 also counts the bytes of
 * sockets and answers: with a heap of 30 MB, every eight megabytes of answers made it collect everything, up to ten times a second.
 */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=300");
}
