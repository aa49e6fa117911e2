import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterUnderTest, startCluster } from "../../../platform/cluster.js";
import { writeLogUntilPanic } from "./slow-postgres.js";
import { mountSmallDisk, type SmallDisk } from "./small-disk.js";
import { type Stage, type StageOptions, switches } from "./stage.js";

const POSTGRES_MB = 320;
const NATS_MB = 48;
const FULL_MS = 15_000;

/** The platform on small disks of PostgreSQL and NATS, in a process that has its own mounts. */
export async function disksStage({ limit }: StageOptions): Promise<Stage> {
  const disks: SmallDisk[] = [];
  const prepare = async (dataDir: string) => {
    disks.push(await mountSmallDisk(dataDir, "postgres", POSTGRES_MB));
    disks.push(await mountSmallDisk(dataDir, "nats", NATS_MB));
  };
  const cluster = await startCluster([], switches(limit), { prepare });
  const [postgres, nats] = disks as [SmallDisk, SmallDisk];
  return {
    cluster,
    gateways: cluster.gateways,
    faults: {
      async "disk-full"() {
        await whileFull(postgres, () => sleep(FULL_MS));
        // There is no room for its log either.
        await whileFull(postgres, async () => {
          await writeLogUntilPanic(cluster);
          await sleep(FULL_MS);
        });
        await whileFull(nats, () => sleep(FULL_MS));
        await restartNats(cluster);
        return ["crash"];
      },
    },
    async stop() {
      await cluster.stop();
      for (const disk of disks) await disk.remove();
    },
  };
}

/** A nats-server (2.15) that could not write refuses every event until it is restarted. */
async function restartNats(cluster: ClusterUnderTest): Promise<void> {
  await cluster.kill("nats");
  await cluster.healthy();
}

async function whileFull(disk: SmallDisk, during: () => Promise<unknown>): Promise<void> {
  const empty = await disk.fill();
  try {
    await during();
  } finally {
    await empty();
  }
}
