import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterUnderTest, startCluster } from "../../../platform/cluster.js";
import { writeLogUntilPanic } from "./slow-postgres.js";
import { mountSmallDisk, type SmallDisk } from "./small-disk.js";

const POSTGRES_MB = 320;
const NATS_MB = 48;
const FULL_MS = 15_000;

/** A platform whose PostgreSQL and NATS have disks of their own. */
export interface OnSmallDisks {
  cluster: ClusterUnderTest;
  disks: Record<string, SmallDisk>;
  stop(): Promise<void>;
}

/** PostgreSQL's disk is full, then has no room for its log either; then NATS's is full. */
export async function fillDisks({ cluster, disks }: OnSmallDisks): Promise<void> {
  await whileFull(disks.postgres!, () => sleep(FULL_MS));
  await whileFull(disks.postgres!, async () => {
    await writeLogUntilPanic(cluster);
    await sleep(FULL_MS);
  });
  await whileFull(disks.nats!, () => sleep(FULL_MS));
  // A nats-server (2.15) that could not write refuses every event until it is restarted.
  await cluster.kill("nats");
  await cluster.healthy();
}

/** Starts it, in a process that has its own mounts. */
export async function startOnSmallDisks(env: NodeJS.ProcessEnv): Promise<OnSmallDisks> {
  const disks: OnSmallDisks["disks"] = {};
  const prepare = async (dataDir: string) => {
    disks.postgres = await mountSmallDisk(dataDir, "postgres", POSTGRES_MB);
    disks.nats = await mountSmallDisk(dataDir, "nats", NATS_MB);
  };
  const cluster = await startCluster([], env, { prepare });
  return {
    cluster,
    disks,
    async stop() {
      await cluster.stop();
      for (const disk of Object.values(disks)) await disk.remove();
    },
  };
}

async function whileFull(disk: SmallDisk, during: () => Promise<unknown>): Promise<void> {
  const empty = await disk.fill();
  try {
    await during();
  } finally {
    await empty();
  }
}
