import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A copy of the tree with its packages, in which a file can be broken. */
export interface TreeCopy {
  folder: string;
  /** Replaces the only occurrence of a text in a file. The returned function puts the file back. */
  replace(file: string, original: string, replacement: string): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

/** Copies the files that Git knows, and those of today that it does not ignore. Packages are linked, because nothing changes them. */
export async function copyTree(root: string): Promise<TreeCopy> {
  const folder = await mkdtemp(join(tmpdir(), "faults-"));
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", list, { cwd: root, maxBuffer: 64 << 20 });
  const files = [...new Set(stdout.split("\0").filter(Boolean))];
  for (const file of files) await cp(join(root, file), join(folder, file), { recursive: true }).catch(ignoreMissing);
  const { stdout: found } = await run("find", [root, "-maxdepth", "3", "-name", "node_modules", "-prune"]);
  // Workspaces are relative links within `node_modules`, so they lead to the copy.
  for (const packages of found.split("\n").filter(Boolean)) {
    const target = dirname(join(folder, relative(root, packages)));
    // Links work within one file system only.
    await run("cp", ["-al", packages, target]).catch(() => run("cp", ["-a", packages, target]));
  }
  return {
    folder,
    async replace(file, original, replacement) {
      const path = join(folder, file);
      const text = await readFile(path, "utf8");
      if (text.split(original).length !== 2) throw new Error(`${file} does not contain this text once: ${original}`);
      await writeFile(
        path,
        text.replace(original, () => replacement),
      );
      return () => writeFile(path, text);
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Git lists files that were deleted since the last commit. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
