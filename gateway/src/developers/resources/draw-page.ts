import { Worker } from "node:worker_threads";

interface DrawingLimits {
  /** The most PDFs that may be waiting, including the one that is being drawn. */
  most: number;
  timeoutMs: number;
  /** The thread ends after so long without work. */
  idleMs: number;
}

// A drawing takes 10 ms; the first one 100 ms more.
const LIMITS: DrawingLimits = { most: 16, timeoutMs: 3_000, idleMs: 60_000 };

// Plain JavaScript, so that the path is the same from `src` and from `dist`.
const WORKER = new URL("../../../worker/draw-page.mjs", import.meta.url);

/** Starts the thread when it is needed. An error or a timeout ends the thread and nothing else. */
export function createDrawing({ most, timeoutMs, idleMs }: DrawingLimits = LIMITS, script: URL = WORKER) {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let idle: NodeJS.Timeout | undefined;

  function end(): void {
    void thread?.terminate();
    thread = undefined;
  }

  function start(): Worker {
    const started = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: 64 } });
    // Without a listener, an error would end the process. The `exit` event that follows is handled below.
    started.on("error", () => {});
    // The thread does not keep the process alive.
    started.unref();
    return started;
  }

  async function drawNext(pdf: Uint8Array): Promise<Uint8Array | undefined> {
    clearTimeout(idle);
    thread ??= start();
    const drawn = await callThread(thread, pdf, timeoutMs);
    if (drawn === undefined) end();
    else idle = setTimeout(end, idleMs).unref();
    return drawn ?? undefined;
  }

  return {
    /** Undefined if the PDF cannot be drawn, that takes too long, or too many PDFs are waiting. */
    async draw(pdf: Uint8Array): Promise<Uint8Array | undefined> {
      if (waiting >= most) return undefined;
      waiting++;
      const drawn = last.then(() => drawNext(pdf));
      last = drawn;
      return drawn.finally(() => waiting--);
    },
  };
}

/** The PNG; null if the PDF cannot be drawn, undefined if the thread must be replaced. */
function callThread(thread: Worker, pdf: Uint8Array, timeoutMs: number): Promise<Uint8Array | null | undefined> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => settle(undefined), timeoutMs);
    const settle = (answer: Uint8Array | null | undefined) => {
      clearTimeout(limit);
      thread.off("message", settle).off("exit", fail);
      resolve(answer);
    };
    const fail = () => settle(undefined);
    thread.on("message", settle).on("exit", fail);
    thread.postMessage(pdf);
  });
}

/** Draws the first page of a PDF as PNG, in a thread that the whole process shares. */
export const drawPage = createDrawing().draw;
