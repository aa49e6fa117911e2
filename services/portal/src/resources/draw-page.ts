import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

interface DrawingLimits {
  /** Maximum number of waiting PDFs, including the one that is being drawn. */
  most: number;
  timeoutMs: number;
  /** Idle time after which the process ends. */
  idleMs: number;
}

// A drawing takes 10 ms; the first one 200 ms more.
const LIMITS: DrawingLimits = { most: 16, timeoutMs: 5_000, idleMs: 60_000 };

// Plain JavaScript, so that the path is the same from `src` and from `dist`.
const SCRIPT = new URL("../../worker/draw-page.mjs", import.meta.url);
const MERGE_SCRIPT = new URL("../../worker/merge-pdfs.mjs", import.meta.url);

// PDFium's memory is WebAssembly's, for which Node has a limit only per process. The unit is a page of 64 KiB. A label needs 18 MiB; some images
// in a file of a few KB would need a gigabyte.
const MEMORY_FLAGS = ["--wasm-max-mem-pages=1536", "--max-old-space-size=64"];

/** Starts the process when it is needed. An error, a timeout or too much memory ends only this process. */
export function createDrawing<Given extends Uint8Array | readonly Uint8Array[] = Uint8Array>(
  { most, timeoutMs, idleMs }: DrawingLimits = LIMITS,
  script: URL = SCRIPT,
  flags: readonly string[] = MEMORY_FLAGS,
) {
  let drawing: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let idle: NodeJS.Timeout | undefined;

  function end(): void {
    drawing?.kill("SIGKILL");
    drawing = undefined;
  }

  function start(): ChildProcess {
    const started = fork(fileURLToPath(script), {
      execArgv: [...flags],
      // A malicious PDF that takes over the process finds no secrets in its environment.
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // Without a listener, an error would end the portal. `exit` or the timeout follows.
    started.on("error", () => {});
    // The portal can exit while this process runs. That closes the channel, which ends the process.
    started.unref();
    started.channel?.unref();
    return started;
  }

  async function drawNext(pdf: Given): Promise<Uint8Array | undefined> {
    clearTimeout(idle);
    drawing ??= start();
    const drawn = await ask(drawing, pdf, timeoutMs);
    if (drawn === undefined) end();
    else idle = setTimeout(end, idleMs).unref();
    return drawn ?? undefined;
  }

  return {
    /** Undefined if the PDF cannot be drawn, that takes too long, or too many PDFs are waiting. */
    async draw(pdf: Given): Promise<Uint8Array | undefined> {
      if (waiting >= most) return undefined;
      waiting++;
      const drawn = last.then(() => drawNext(pdf));
      last = drawn;
      return drawn.finally(() => waiting--);
    },
  };
}

/** The PNG; null if the PDF cannot be drawn, undefined if the process must be replaced. */
function ask(
  drawing: ChildProcess,
  pdf: NonNullable<unknown>,
  timeoutMs: number,
): Promise<Uint8Array | null | undefined> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => settle(undefined), timeoutMs);
    const settle = (answer: Uint8Array | null | undefined) => {
      clearTimeout(limit);
      drawing.off("message", settle).off("exit", fail);
      resolve(answer);
    };
    const fail = () => settle(undefined);
    drawing.on("message", settle).on("exit", fail);
    drawing.send(pdf, () => {});
  });
}

/** Draws the first page of a PDF as PNG, in one process for the whole portal. */
export const drawPage = createDrawing().draw;

/** Merges the pages of PDFs into one file, in a process of its own; undefined as above. A hundred of our labels take a quarter of a second. */
export const mergePdfs = createDrawing<readonly Uint8Array[]>(
  { most: 4, timeoutMs: 8_000, idleMs: 60_000 },
  MERGE_SCRIPT,
  ["--max-old-space-size=256"],
).draw;
