import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newId } from "@shipping/kit/ids";
import { TEST_SETTINGS } from "@shipping/kit/testing/database";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { findNatsServer } from "@shipping/local/servers/find-nats-server";
import { startNatsServer } from "@shipping/local/servers/nats-server";
import { startSimulatorProcess, withCarrier } from "../carrier/simulator-process.js";
import { launchCluster, SHARED_SPEEDUP, type SharedCluster, withFaultPoints } from "./launch-cluster.js";
import { type Shared, serveShared } from "./serve-shared.js";
import { startSharedProcess } from "./shared-process.js";

// The servers of a test run, in a process of their own. It prints their URLs as a line of JSON, and ends when its standard input does, so that the
// servers also end with a killed test run.
const { TEST_DATABASE_URL, TEST_NATS_URL, TEST_POSTGRES_PROGRAMS: programs } = process.env;
const folder = await mkdtemp(join(await dataFolder(), "shipping-test-"));
await chmod(folder, 0o755);
const stops: (() => Promise<void>)[] = [];

/**
 * The folder of the servers' data: in memory if there is plenty. A run clones and drops hundreds of databases, and each clone took 18 ms of CPU in
 * memory, 60 to 300 on a disk.
 */
async function dataFolder(): Promise<string> {
  const memory = await statfs("/dev/shm").catch(() => undefined);
  const free = memory ? Math.min(memory.bavail * memory.bsize, freemem()) : 0;
  return free > 8 * 1024 ** 3 ? "/dev/shm" : tmpdir();
}

async function startPostgres(): Promise<string> {
  const options = { dataDir: join(folder, "postgres"), settings: TEST_SETTINGS };
  const postgres = await startEmbeddedPostgres({ ...options, ...(programs && { programs }) });
  stops.push(postgres.stop);
  return postgres.url("postgres");
}

async function startNats(): Promise<string | undefined> {
  const say = (line: string) => console.error(line);
  try {
    const program = await findNatsServer({ env: process.env, say });
    const nats = await startNatsServer({ program, dataDir: join(folder, "nats") });
    stops.push(nats.stop);
    return nats.url;
  } catch (error) {
    // No npm package has nats-server. Tests that do not need it run without it.
    say((error as Error).message);
    return undefined;
  }
}

const env = {
  ...process.env,
  TSX_TSCONFIG_PATH: fileURLToPath(new URL("../../tsconfig.base.json", import.meta.url)),
};

async function startCluster(): Promise<Shared> {
  const dataDir = await mkdtemp(join(folder, "cluster-"));
  const accountBytes = randomBytes(16);
  const simulator = await startSimulatorProcess(join(dataDir, "carrier-ledger"));
  const settings = {
    ...withFaultPoints(join(dataDir, "fault")),
    ...withCarrier(
      simulator.url,
      newId("acc", () => accountBytes),
    ),
    RATE_LIMIT_PER_MINUTE: "1000000",
    WEBHOOK_ALLOW_PRIVATE_TARGETS: "true",
    CLOCK_SPEEDUP: String(SHARED_SPEEDUP),
    LOG_LEVEL: "debug",
  };
  const { stop } = await launchCluster(["--gateways", "3", "--portals", "2", "--tracking", "2"], settings, { dataDir });
  const tells: SharedCluster = { dataDir, carrierUrl: simulator.url, carrierAccount: accountBytes.toString("hex") };
  return { tells, stop: () => stop().then(simulator.stop) };
}

// A signal for the test run, such as Ctrl-C in a terminal, reaches this process too, and its output may have no reader left.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.stdout.on("error", () => {});
const released = once(process.stdin.resume(), "end");
try {
  const nats = TEST_NATS_URL ?? (await startNats());
  const database = TEST_DATABASE_URL ?? (await startPostgres());
  const shared = await serveShared({
    stack: () =>
      startSharedProcess([...process.execArgv, "stack-process.ts"], { env: { ...env, TEST_DATABASE_URL: database } }),
    cluster: startCluster,
  });
  stops.push(shared.stop);
  const urls = { TEST_DATABASE_URL: database, TEST_NATS_URL: nats, TEST_SHARED_URL: shared.url };
  console.log(JSON.stringify({ ...urls, TEST_DATA_FOLDER: folder }));
  await released;
} finally {
  // Stops in reverse order of the start: platforms before their database server.
  for (const stop of stops.reverse()) await stop();
  // If the run was killed, its clusters may still be ending.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
