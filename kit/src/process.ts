import type { Log } from "./log.js";

/** A part that has been started. */
export interface Running {
  /** Ends it in good order; `hurried` (SIGINT) leaves out the pauses in which others are told first. */
  stop(hurried?: boolean): Promise<void>;
}

const STOP_LIMIT_MS = { SIGTERM: 30_000, SIGINT: 4_000 };

/** Runs a part until SIGTERM or SIGINT, then stops it; a second signal, or a stop that takes too long (SIGINT: 4 s), ends it at once. */
export async function runProcess(options: { log: Log; start(): Promise<Running> }): Promise<void> {
  const { log } = options;
  const starting = options.start();
  let stopping = false;

  async function stop(signal: "SIGTERM" | "SIGINT"): Promise<void> {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, "stopping");
    setTimeout(() => {
      log.warn("the stop took too long");
      process.exit(1);
    }, STOP_LIMIT_MS[signal]).unref();
    try {
      await (await starting).stop(signal === "SIGINT");
      log.info("stopped");
      process.exit(0);
    } catch (err) {
      log.error({ err }, "the stop failed");
      process.exit(1);
    }
  }

  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  try {
    await starting;
  } catch (err) {
    log.fatal({ err }, "the start failed");
    process.exit(1);
  }
}

/** Tries until it works, with one line a second that says what is waited for: parts start in any order. */
export async function waitFor<T>(what: string, log: Log, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (err) {
      log.info({ reason: err instanceof Error ? err.message : String(err) }, `waiting for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}
