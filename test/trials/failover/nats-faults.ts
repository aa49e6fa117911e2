import { setTimeout as sleep } from "node:timers/promises";
import { startCluster } from "../../platform/cluster.js";
import type { Report, Say } from "../kit/report.js";
import { seconds } from "../kit/statistics.js";
import { openReceivers } from "./deliveries-seen.js";
import { startLoad } from "./load.js";
import { natsServersOf } from "./nats-servers.js";
import { deliveriesVerdict } from "./verdict.js";

/** Servers, the leader of the stream among them, that die and come back after `lostMs`, wiped ones without their disks. */
interface NatsFault {
  name: string;
  servers: 1 | 2;
  lostMs: number;
  wiped: boolean;
}

/** The timing of a load around faults. */
interface Around {
  clients: number;
  /** Before the first fault, and after each. */
  calmMs: number;
  arriveWithinMs: number;
}

const AROUND: Around = { clients: 8, calmMs: 8_000, arriveWithinMs: 120_000 };
const SWITCHES = { RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" };

/** The leader of the stream dies; then with its disk; and once more, to check that the replacement has the data. */
export const natsNode = (say: Say): Promise<Report> =>
  playNatsFaults(say, [
    { name: "leaderKilled", servers: 1, lostMs: 0, wiped: false },
    { name: "diskLost", servers: 1, lostMs: 5_000, wiped: true },
    { name: "leaderKilledAgain", servers: 1, lostMs: 0, wiped: false },
  ]);

/** Two of three servers are down for a while; they then lose their disks, and empty ones take their places. */
export const natsQuorum = (say: Say): Promise<Report> =>
  playNatsFaults(say, [
    { name: "quorumLost", servers: 2, lostMs: 30_000, wiped: false },
    { name: "disksLost", servers: 2, lostMs: 2_000, wiped: true },
  ]);

/** Plays faults of a NATS cluster of three under load: no request may fail, and everything acknowledged has to arrive, once. */
export async function playNatsFaults(say: Say, faults: readonly NatsFault[], around = AROUND): Promise<Report> {
  const { clients, calmMs, arriveWithinMs } = around;
  const cluster = await startCluster(["--nats", "3"], SWITCHES);
  try {
    const receivers = await openReceivers(cluster);
    const servers = await natsServersOf(cluster);
    await servers.settled();
    const load = await startLoad(cluster, { clients, customers: receivers.customers });
    await sleep(calmMs);
    const played: { name: string; completeAfterSeconds: number; fromMs: number; toMs: number }[] = [];
    for (const { name, servers: count, lostMs, wiped } of faults) {
      say(`${name}, after ${load.acknowledged()} writes`);
      const fromMs = performance.now();
      const { stream } = await servers.settled();
      const others = ["nats-1", "nats-2", "nats-3"].filter((one) => one !== stream);
      const bringBack = await servers.takeDown([stream, ...others.slice(0, count - 1)], { wiped });
      await sleep(lostMs);
      await bringBack();
      const backMs = performance.now();
      await servers.settled();
      const completeAfterSeconds = seconds(performance.now() - backMs);
      await sleep(calmMs);
      played.push({ name, completeAfterSeconds, fromMs, toMs: performance.now() });
    }
    const report = await deliveriesVerdict(say, { cluster, load, receivers, arriveWithinMs }, () => {
      const figures = played.map(({ name, completeAfterSeconds, fromMs, toMs }) => {
        return [name, { completeAfterSeconds, latestSeconds: receivers.latestBetween(fromMs, toMs) }];
      });
      const failed = Object.keys(load.attempts.seen().failed);
      return {
        figures: Object.fromEntries(figures),
        promises: [[failed.length === 0, "A request failed because of NATS."]],
      };
    });
    await servers.close();
    return report;
  } finally {
    await cluster.stop();
  }
}
