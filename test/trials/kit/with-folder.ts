import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Work with a folder, and functions that end what was started in it. */
type InFolder<T> = (folder: string, ends: (() => unknown)[]) => Promise<T>;

/** Gives work a folder that is removed after its servers have stopped, in reverse order. */
export async function withFolder<T>(work: InFolder<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-trial-"));
  // PostgreSQL runs as another user if this process runs as root.
  await chmod(folder, 0o755);
  const ends: (() => unknown)[] = [];
  try {
    return await work(folder, ends);
  } finally {
    for (const end of ends.reverse()) await end();
    await rm(folder, { recursive: true, force: true });
  }
}
