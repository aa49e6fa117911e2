import { type ExecFileOptions, execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Env } from "@shipping/kit/process/config";
import { requireVersion } from "@shipping/kit/process/supported-versions";

/** A nats-server that runs here. */
export interface NatsProgram {
  path: string;
}

const CURRENT = "2.15.2";

interface Search {
  env: Env;
  /** Called with one line before each step that takes time. */
  say(line: string): void;
}

/** Finds nats-server on the PATH or in the cache. Otherwise fetches it, without root, from Go or Debian, because npm does not have it. */
export async function findNatsServer(search: Search): Promise<NatsProgram> {
  const cache = join(search.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "shipping-platform");
  const cached = join(cache, "nats-server");
  for (const path of ["nats-server", cached]) if (await serves(path, search)) return { path };
  await mkdir(cache, { recursive: true });
  for (const fetch of [fetchWithGo, fetchFromDebian]) {
    const folder = await mkdtemp(join(cache, "fetching-"));
    const fetched = await fetch(folder, search);
    // The file is renamed into place when it works, so that two processes that fetch at once never run half a file.
    if (fetched && (await runs(fetched, search.env))) await rename(fetched, cached);
    await rm(folder, { recursive: true, force: true });
    if (await runs(cached, search.env)) return { path: cached };
  }
  throw new Error(
    "nats-server was not found. Install it on your PATH (https://docs.nats.io/running-a-nats-service), or set NATS_URL.",
  );
}

export async function fetchWithGo(
  folder: string,
  { env, say }: Search,
  version = CURRENT,
): Promise<string | undefined> {
  if (!(await runs("go", env, "version"))) return undefined;
  say("Building nats-server with Go (only once, takes about a minute) …");
  const options = { env: { ...env, GOBIN: folder }, timeout: 180_000 };
  return attempt(async () => {
    await run("go", ["install", `github.com/nats-io/nats-server/v2@v${version}`], options);
    return join(folder, "nats-server");
  });
}

/**
 * Fetches Debian's package if apt-get exists. This works for any user, because lists, state and downloads are kept in a folder of that
 * user's.
 */
export async function fetchFromDebian(folder: string, { env, say }: Search): Promise<string | undefined> {
  if (!(await runs("apt-get", env)) || !(await runs("dpkg", env))) return undefined;
  say("Downloading nats-server from Debian's packages (only once, takes a few seconds) …");
  const options = { env, cwd: folder, timeout: 120_000 };
  const apt = (...command: string[]) => run("apt-get", ["-qq", ...privately(folder), ...command], options);
  return attempt(async () => {
    await mkdir(join(folder, "lists", "partial"), { recursive: true });
    await apt("update");
    await apt("download", "nats-server");
    const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"));
    if (!archive) return undefined;
    await run("dpkg", ["-x", archive, "unpacked"], options);
    return join(folder, "unpacked", "usr", "sbin", "nats-server");
  });
}

function privately(folder: string): string[] {
  const settings = [`Dir::State=${folder}`, `Dir::State::Lists=${join(folder, "lists")}`, `Dir::Cache=${folder}`];
  return [...settings, "Debug::NoLocking=1"].flatMap((setting) => ["-o", setting]);
}

/** Returns true if a nats-server is there and new enough; logs a line if it is too old. */
async function serves(path: string, { env, say }: Search): Promise<boolean> {
  const said = await attempt(() => run(path, ["--version"], { env, timeout: 10_000 }));
  try {
    const version = /\bv(\d\S*)/.exec(said?.stdout ?? "")?.[1];
    if (version) requireVersion("nats-server", version);
    return said !== undefined;
  } catch (error) {
    say(`Skipping ${path}: ${(error as Error).message}`);
    return false;
  }
}

async function runs(program: string, env: Env, question = "--version"): Promise<boolean> {
  return (await attempt(() => run(program, [question], { env, timeout: 10_000 }))) !== undefined;
}

async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

function run(program: string, args: string[], options: ExecFileOptions): Promise<{ stdout: string }> {
  return promisify(execFile)(program, args, { ...options, encoding: "utf8" });
}
