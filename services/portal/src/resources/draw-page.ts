import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { DEFAULT_PAGE_LIMITS } from "../limits/page-limits.js";

interface DrawingLimits {
  /** Maximum number of waiting PDFs, including the one that is being drawn. */
  most: number;
  timeoutMs: number;
  /** Idle time after which the process ends. */
  idleMs: number;
  /** Whether a PDF whose process ended by itself is given to a new one, once: something else on the machine may have ended it. */
  retries?: true;
}

/** The process has ended, or it takes too long. */
type Failed = "ended" | "late";

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
  { most, timeoutMs, idleMs, retries }: DrawingLimits = LIMITS,
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

  async function drawNext(pdf: Given): Promise<Uint8Array | null | undefined> {
    const endsAt = performance.now() + timeoutMs;
    let drawn = await askNext(pdf, timeoutMs);
    if (drawn === "ended" && retries) drawn = await askNext(pdf, endsAt - performance.now());
    return typeof drawn === "string" ? undefined : drawn;
  }

  async function askNext(pdf: Given, leftMs: number): Promise<Uint8Array | null | Failed> {
    clearTimeout(idle);
    drawing ??= start();
    const drawn = await ask(drawing, pdf, leftMs);
    if (typeof drawn === "string") end();
    else idle = setTimeout(end, idleMs).unref();
    return drawn;
  }

  return {
    /** Starts the process before its first PDF is there, so that it loads its code in the meantime. */
    prepare(): void {
      if (drawing) return;
      drawing = start();
      idle = setTimeout(end, idleMs).unref();
    },
    /** Null if the PDF cannot be drawn; undefined if that takes too long, too much memory, or too many PDFs are waiting. */
    async draw(pdf: Given): Promise<Uint8Array | null | undefined> {
      if (waiting >= most) return undefined;
      waiting++;
      const drawn = last.then(() => drawNext(pdf));
      last = drawn;
      return drawn.finally(() => waiting--);
    },
  };
}

/** The PNG; null if the PDF cannot be drawn. After a failure, the process must be replaced. */
function ask(drawing: ChildProcess, pdf: NonNullable<unknown>, timeoutMs: number): Promise<Uint8Array | null | Failed> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => settle("late"), timeoutMs);
    const settle = (answer: Uint8Array | null | Failed) => {
      clearTimeout(limit);
      drawing.off("message", settle).off("exit", fail);
      resolve(answer);
    };
    const fail = () => settle("ended");
    // It may have ended before it was asked.
    if (drawing.exitCode !== null || drawing.signalCode !== null) return fail();
    drawing.on("message", settle).on("exit", fail);
    drawing.send(pdf, () => {});
  });
}

/** Draws the first page of a PDF as PNG, in one process for the whole portal. */
export const drawPage = createDrawing().draw;

/** Merges the pages of PDFs into one file, in a process of its own; undefined as above. As many may wait as there are heavy pages. */
export const merging = createDrawing<readonly Uint8Array[]>(
  { most: DEFAULT_PAGE_LIMITS.heavy.total, timeoutMs: 8_000, idleMs: 60_000, retries: true },
  MERGE_SCRIPT,
  ["--max-old-space-size=256"],
);
