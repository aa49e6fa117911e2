import { Worker } from "node:worker_threads";

/** Draws pages in a thread of its own, which lives while it is used. */
interface Drawing {
  /** The first page of a PDF as PNG; undefined if it cannot be drawn, takes too long, or too many wait. */
  draw(pdf: Uint8Array): Promise<Uint8Array | undefined>;
}

interface DrawingLimits {
  /** Drawings that may be under way or wait, at most. */
  most: number;
  timeoutMs: number;
  /** How long the thread waits for more to draw. */
  idleMs: number;
}

// A drawing takes 10 ms; the first one 100 ms more.
const LIMITS: DrawingLimits = { most: 16, timeoutMs: 3_000, idleMs: 60_000 };

// Plain JavaScript, the same for sources and for what is built.
const WORKER = new URL("../../../worker/draw-page.mjs", import.meta.url);

/** Makes a thread that draws, when there is something to draw. What goes wrong in it, or takes too long, ends that thread and nothing else. */
export function createDrawing({ most, timeoutMs, idleMs }: DrawingLimits = LIMITS, script: URL = WORKER): Drawing {
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
    // Its end, which follows, is enough; without a listener an error would end the process.
    started.on("error", () => {});
    // A process that stops does not wait for it.
    started.unref();
    return started;
  }

  async function drawNext(pdf: Uint8Array): Promise<Uint8Array | undefined> {
    clearTimeout(idle);
    thread ??= start();
    const drawn = await answerOf(thread, pdf, timeoutMs);
    if (drawn === undefined) end();
    else idle = setTimeout(end, idleMs).unref();
    return drawn ?? undefined;
  }

  return {
    async draw(pdf) {
      if (waiting >= most) return undefined;
      waiting++;
      const drawn = last.then(() => drawNext(pdf));
      last = drawn;
      return drawn.finally(() => waiting--);
    },
  };
}

/** The picture; null if the PDF has none, undefined if the thread is of no more use. */
function answerOf(thread: Worker, pdf: Uint8Array, timeoutMs: number): Promise<Uint8Array | null | undefined> {
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

const drawing = createDrawing();

/** The first page of a PDF as PNG, drawn by this process's own thread; undefined if it cannot be drawn now. */
export function drawPage(pdf: Uint8Array): Promise<Uint8Array | undefined> {
  return drawing.draw(pdf);
}
