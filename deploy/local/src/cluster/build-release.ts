import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { environment } from "../config.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
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

/** Returns a folder with the built files of a commit. They are built once, and kept in the user's cache folder (`XDG_CACHE_HOME`, or `~/.cache`). */
export async function cachedRelease(commit: string, say: (line: string) => void): Promise<string> {
  const cache = join(environment().XDG_CACHE_HOME || join(homedir(), ".cache"), "shipping-platform", "releases");
  const folder = join(cache, commit);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const building = await mkdtemp(join(cache, "building-"));
  try {
    say(`Building ${commit} in ${cache}, once. This takes some minutes …`);
    const built = join(building, "release");
    await buildRelease(commit, built);
    await rename(built, folder);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return folder;
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
