import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@shipping/kit/testing/eventually";
import { type ClusterUnderTest, startCluster } from "../../../platform/cluster.js";
import type { Report, Say } from "../../kit/report.js";
import { seconds } from "../../kit/statistics.js";
import { openReceivers } from "../deliveries-seen.js";
import { type Load, startLoad } from "../load.js";
import { deliveriesVerdict } from "../verdict.js";
import { hasOwnMounts, inOwnMounts } from "./own-mounts.js";
import { hangInBursts, holdLock, writeLogUntilPanic } from "./slow-postgres.js";
import { mountSmallDisk, type SmallDisk } from "./small-disk.js";

const POSTGRES_MB = 320;
const NATS_MB = 48;
const BACK_MS = 30_000;
const ARRIVE_MS = 150_000;
const SWITCHES = { RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" };

/** A platform whose PostgreSQL and NATS have disks of their own. */
export interface OnSmallDisks {
  cluster: ClusterUnderTest;
  disks: Record<string, SmallDisk>;
  stop(): Promise<void>;
}

/** A fault of a store; resolves when the store is healthy again. */
export const diskFaults = {
  "PostgreSQL's disk is full": ({ disks }: OnSmallDisks) => whileFull(disks.postgres!, () => sleep(15_000)),
  "PostgreSQL's disk is full and its log needs more of it": ({ cluster, disks }: OnSmallDisks) =>
    whileFull(disks.postgres!, async () => {
      await writeLogUntilPanic(cluster);
      await sleep(10_000);
    }),
  "NATS's disk is full": async ({ cluster, disks }: OnSmallDisks) => {
    await whileFull(disks.nats!, () => sleep(15_000));
    // A nats-server (2.15) that could not write refuses every event until it is restarted.
    await cluster.kill("nats");
    await cluster.healthy();
  },
  "PostgreSQL's disk hangs": ({ cluster }: OnSmallDisks) =>
    hangInBursts(cluster, { bursts: 5, stoppedMs: 3_000, runningMs: 1_000 }),
  "PostgreSQL's disk hangs for longer than anybody waits": ({ cluster }: OnSmallDisks) =>
    hangInBursts(cluster, { bursts: 1, stoppedMs: 15_000, runningMs: 0 }),
  "a lock on records' ledger": ({ cluster }: OnSmallDisks) =>
    holdLock(cluster, { part: "records", table: "ledger", ms: 30_000 }),
  "a lock on the gateway's rate windows": ({ cluster }: OnSmallDisks) =>
    holdLock(cluster, { part: "gateway", table: "rate_windows", ms: 30_000 }),
};

/** Disks that are full or slow, and locks that use up the connections, one after the other under load. */
export async function diskFull(say: Say): Promise<Report> {
  if (!hasOwnMounts()) return inOwnMounts("disk-full");
  const stage = await startOnSmallDisks(SWITCHES);
  const { cluster } = stage;
  try {
    const receivers = await openReceivers(cluster);
    const load = await startLoad(cluster, { clients: 6, customers: receivers.customers });
    await sleep(3_000);
    const played: Record<string, unknown> = {};
    for (const [name, play] of Object.entries(diskFaults)) {
      say(`${name}, after ${load.acknowledged()} writes`);
      const before = load.acknowledged();
      await play(stage);
      const during = load.acknowledged() - before;
      played[name] = { acknowledgedMeanwhile: during, backAfterSeconds: await untilBack(load) };
      await sleep(3_000);
    }
    const arriving = { cluster, load, receivers, arriveWithinMs: ARRIVE_MS, mayRepeat: true };
    return await deliveriesVerdict(say, arriving, () => ({ figures: { played }, promises: [] }));
  } finally {
    await stage.stop();
  }
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

/** Seconds from now to the end of the first write that is sent after now and succeeds. */
async function untilBack(load: Load): Promise<number> {
  const roomMs = performance.now();
  return eventually(
    () => {
      const ms = load.attempts.firstSuccessAfter(roomMs);
      if (ms === undefined) throw new Error("No write has succeeded again.");
      return seconds(ms);
    },
    { withinMs: BACK_MS },
  );
}
