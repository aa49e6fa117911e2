import { setTimeout as sleep } from "node:timers/promises";
import { startCluster } from "../../cluster.js";
import type { Chance } from "../workload/recorder.js";
import { type Stage, switches } from "./stage.js";

/** The platform on one machine, whose processes end and hang. */
export async function processStage(limit: number, chance: Chance): Promise<Stage> {
  const cluster = await startCluster(["--tracking", "2"], switches(limit));
  const gateways = [...cluster.gateways];

  async function kill() {
    for (let turn = 0; turn < 10; turn++) {
      const { processes } = await cluster.now();
      const servers = processes.filter(({ name }) => !/^(postgres|nats)/.test(name));
      const { name } = servers[Math.floor(chance() * servers.length)]!;
      // It may have ended just now, and not be started again yet.
      await cluster.kill(name).catch(() => {});
      await sleep(1_000);
    }
    return [];
  }

  return {
    cluster,
    gateways,
    faults: {
      async none() {
        await sleep(10_000);
        return [];
      },
      kill,
    },
    stop: () => cluster.stop(),
  };
}
