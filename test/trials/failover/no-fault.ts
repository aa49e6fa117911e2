import { setTimeout as sleep } from "node:timers/promises";
import { startCluster } from "../../platform/cluster.js";
import type { Report } from "../chaos/deliveries/report.js";
import { startLoad } from "./load.js";
import { verdict } from "./verdict.js";

/** The baseline for the other scenarios: the same load without a fault. */
export async function noFault(say: (line: string) => void, runMs = 10_000): Promise<Report> {
  const cluster = await startCluster([], { RATE_LIMIT_PER_MINUTE: "1000000" });
  try {
    const load = await startLoad(cluster, { clients: 8 });
    await sleep(runMs);
    say(`${load.acknowledged()} writes acknowledged; auditing`);
    return await verdict(cluster, load, { figures: { runMs }, promises: [] });
  } finally {
    await cluster.stop();
  }
}
