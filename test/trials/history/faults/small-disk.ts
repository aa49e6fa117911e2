import { execFile } from "node:child_process";
import { readlinkSync } from "node:fs";
import { mkdir, mkdtemp, open, rm, rmdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const KEEP_FULL_MS = 50;
const PIECE = Buffer.alloc(65_536, 1);

/** The mount namespace of this process, by its number. */
export const mountsOf = () => readlinkSync("/proc/self/ns/mnt");

export type SmallDisk = Awaited<ReturnType<typeof mountSmallDisk>>;

/** Puts the folder `store` of a cluster that has not started yet on a file system of its own. */
export async function mountSmallDisk(dataDir: string, store: string, megabytes: number) {
  const folder = await mkdtemp(join(tmpdir(), "small-disk-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "small-disk", folder]);
  const data = join(folder, store);
  // PostgreSQL makes its folder itself; NATS follows no link to nowhere.
  if (store === "nats") await mkdir(data);
  await symlink(data, join(dataDir, store));
  return {
    /** Takes all free space, also space that becomes free later, until the returned function is called. */
    fill: () => fill(join(folder, "ballast")),
    /** Removes it with everything on it. */
    async remove() {
      await run("umount", ["--lazy", folder]);
      await rmdir(folder);
    },
  };
}

async function fill(path: string): Promise<() => Promise<void>> {
  const ballast = await open(path, "w");
  const stopping = new AbortController();
  const filling = (async () => {
    while (!stopping.signal.aborted) {
      await writeUntilFull(ballast);
      await sleep(KEEP_FULL_MS);
    }
  })();
  return async () => {
    stopping.abort();
    await filling;
    await ballast.close();
    await rm(path);
  };
}

async function writeUntilFull(ballast: Awaited<ReturnType<typeof open>>): Promise<void> {
  for (let bytes = PIECE.length; bytes >= 4_096; ) {
    const written = await ballast.write(PIECE, 0, bytes).then(
      ({ bytesWritten }) => bytesWritten,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOSPC") throw error;
        return 0;
      },
    );
    if (written === 0) bytes /= 2;
  }
}
