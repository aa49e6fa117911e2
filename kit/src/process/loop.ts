import type { Log } from "./log.js";

export type Loop = ReturnType<typeof startLoop>;

/**
 * Runs `once` every `everyMs` and whenever it is woken, one run at a time. A run that fails is logged and does not end the loop. A run that
 * continues while there is work must check whether the loop is being stopped.
 */
export function startLoop(options: {
  name: string;
  everyMs: number;
  log: Log;
  once(isStopping: () => boolean): Promise<unknown>;
}) {
  const { name, everyMs, log, once } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let woken = false;
  let stopped = false;

  async function run(): Promise<void> {
    do {
      woken = false;
      try {
        // A run that throws before its first `await` must not end before `running` is set.
        await (async () => once(() => stopped))();
      } catch (err) {
        log.error({ err, loop: name }, "run failed; the loop continues");
        break;
      }
    } while (woken && !stopped);
    running = undefined;
    if (!stopped) timer = setTimeout(wake, everyMs);
  }

  /** Runs it now, or once more right after the current run. */
  function wake(): void {
    if (stopped) return;
    woken = true;
    if (running) return;
    clearTimeout(timer);
    running = run();
  }

  timer = setTimeout(wake, everyMs);
  return {
    wake,
    /** Starts no further run and waits for the current one. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
