import { existsSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ATTEMPTS = 100;
const RETRY_MS = 20;

/** The signals that end a program at a terminal: closing the terminal, Ctrl-C, `kill`. */
const ENDS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** Creates a folder that is removed when the process ends, except by SIGKILL. A signal ends the process and its servers at once. */
export async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  process.on("exit", () => remove(folder));
  for (const [signal, number] of Object.entries(ENDS)) process.once(signal, () => process.exit(128 + number));
  return folder;
}

// Servers that were just killed may still be writing. rmSync's own retries (Node 20) do not remove files that were added meanwhile, and
// asynchronous code no longer runs.
function remove(folder: string): void {
  for (let attempt = 1; existsSync(folder); attempt++) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
