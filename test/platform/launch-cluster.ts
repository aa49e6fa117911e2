import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "@shipping/kit/testing/eventually";
import { countOption } from "@shipping/local/cluster/options";
import { parts } from "@shipping/local/parts";
import { errorsInLogs, lastLines, START_MS } from "./shared-process.js";

export interface ClusterOptions {
  /** A data folder that is kept. By default, the cluster has one of its own, which is removed. */
  dataDir?: string;
  /** Gets the folder before a process starts in it. */
  prepare?(dataDir: string): Promise<void>;
  /** The root folder of the checkout from which it runs; this one by default. */
  checkout?: string;
  /** The time that its start may take. */
  withinMs?: number;
}

// Not `import.meta.dirname`: outside Jest, which does not provide it, Prisma's generated client sets it to its own folder.
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The factor by which waits between attempts are shorter in the cluster that tests share. */
export const SHARED_SPEEDUP = 1_800;

/** Where the cluster is that tests share, and the carrier of the account whose ID is made of these bytes, in hex. */
export interface SharedCluster {
  dataDir: string;
  carrierUrl: string;
  carrierAccount: string;
}

/** The flags of a cluster with so many processes of each part. */
export const ofEach = (count: number) => parts.flatMap((part) => [`--${countOption(part)}`, String(count)]);

/** The flags of the smallest cluster. */
export const ONE_OF_EACH = ofEach(1);

/** The environment of a cluster whose processes end at the point that the file names (`test/flows/fault-points`). */
export const withFaultPoints = (file: string) => ({
  FAULT_FILE: file,
  NODE_OPTIONS: `--import=${new URL("../flows/fault-points/load.mjs", import.meta.url)}`,
});

/** Starts `npm run cluster`, built before, as a process of its own. Resolves once every process answers. */
export async function launchCluster(
  flags: readonly string[],
  env: NodeJS.ProcessEnv = {},
  { dataDir: given, prepare, checkout = ROOT, withinMs = START_MS }: ClusterOptions = {},
): Promise<{ dataDir: string; stop(): Promise<void> }> {
  const dataDir = given ?? (await mkdtemp(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), "shipping-cluster-")));
  await chmod(dataDir, 0o755);
  await prepare?.(dataDir);
  const launcher = spawn(
    process.execPath,
    [join(checkout, "deploy/local/dist/cluster/main.js"), "--port", "0", ...flags],
    {
      env: { ...process.env, LOG_LEVEL: "warn", ...env, DATA_DIR: dataDir },
      // The channel makes it end when this process does.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    },
  );
  const said: string[] = [];
  for (const stream of [launcher.stdout, launcher.stderr]) stream?.on("data", (chunk) => said.push(String(chunk)));
  async function stop() {
    if (launcher.exitCode === null) {
      const ended = once(launcher, "exit");
      launcher.kill("SIGTERM");
      await ended;
    }
    if (!given) await rm(dataDir, { recursive: true, force: true });
  }
  const started = eventually(
    async () => (launcher.exitCode === null ? void (await readFile(join(dataDir, "cluster.json"))) : undefined),
    { withinMs },
  ).then(
    () => launcher.exitCode !== null && `ended with exit ${launcher.exitCode}`,
    () => `was not ready after ${withinMs / 1_000} s`,
  );
  const failure = await started;
  if (failure) {
    const errors = await errorsInLogs(dataDir);
    // A remaining process would keep the tests' own process from ending.
    await stop();
    throw new Error([`The cluster ${failure}. It wrote: ${lastLines(said.join(""))}`, ...errors].join("\n"));
  }
  return { dataDir, stop };
}
