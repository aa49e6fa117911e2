import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const execute = promisify(execFile);

/** The commit of a tag, branch or hash. An unknown one is an error with a sentence. */
export async function commitOf(revision: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  try {
    return (await execute("git", args, { cwd: root })).stdout.trim();
  } catch {
    throw new Error(`This repository has no commit ${revision}. If the clone is shallow: git fetch --unshallow`);
  }
}

/** Checks out the files of a commit into a new folder, installs their dependencies and compiles them. */
export async function buildRelease(commit: string, folder: string): Promise<void> {
  await mkdir(folder);
  const git = spawn("git", ["archive", commit], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const tar = spawn("tar", ["-x", "-C", folder], { stdio: [git.stdout, "inherit", "inherit"] });
  await Promise.all([succeeded(git, "git archive"), succeeded(tar, "tar")]);
  for (const args of [["ci"], ["run", "build"]])
    await succeeded(
      spawn("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }),
      `npm ${args.join(" ")}`,
    );
}

async function succeeded(child: ReturnType<typeof spawn>, name: string): Promise<void> {
  const [code, signal] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} failed: ${signal ?? `exit ${code}`}.`);
}
