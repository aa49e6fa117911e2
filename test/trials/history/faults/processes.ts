import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@shipping/kit/testing/eventually";
import { startCluster } from "../../../platform/cluster.js";
import { natsServersOf } from "../../failover/nats-servers.js";
import { startPair } from "../../failover/postgres/pair.js";
import { replace } from "../../releases/mixed-releases.js";
import type { Chance } from "../workload/recorder.js";
import { hangInBursts, holdLock } from "./slow-postgres.js";
import { type Stage, type StageOptions, switches } from "./stage.js";

const NO_FAULT_MS = 10_000;
const KILLS = 10;
const KILL_EVERY_MS = 1_000;
const DOWN_MS = 4_000;

/** The platform on one machine, whose processes end, hang and return. */
export async function processStage({ limit, chance }: StageOptions): Promise<Stage> {
  const cluster = await startCluster(["--tracking", "2"], switches(limit));
  const gateways = [...cluster.gateways];
  const servers = async () => (await cluster.now()).processes.map(({ name }) => name).filter((name) => !isStore(name));
  return {
    cluster,
    gateways,
    faults: {
      async none() {
        await sleep(NO_FAULT_MS);
        return [];
      },
      async kill() {
        for (let kill = 0; kill < KILLS; kill++) {
          // It may just have ended, and not have restarted yet.
          await cluster.kill(oneOf(await servers(), chance)).catch(() => {});
          await sleep(KILL_EVERY_MS);
        }
        return [];
      },
      async stop() {
        for (const name of await servers()) await replace(cluster, name, gateways);
        return [];
      },
      async crash() {
        const before = await cluster.kill("postgres");
        await eventually(() => requireSuccessor(cluster, "postgres", before));
        return ["crash"];
      },
      async hang() {
        await hangInBursts(cluster, { bursts: 3, stoppedMs: 3_000, runningMs: 1_000 });
        await hangInBursts(cluster, { bursts: 1, stoppedMs: 15_000, runningMs: 0 });
        await holdLock(cluster, { part: "carrier", table: "ledger", ms: 8_000 });
        await holdLock(cluster, { part: "gateway", table: "rate_windows", ms: 8_000 });
        return [];
      },
    },
    stop: () => cluster.stop(),
  };
}

/** The platform with three NATS servers, of which two go down and return, then one without its disk. */
export async function natsStage({ limit, chance }: StageOptions): Promise<Stage> {
  const cluster = await startCluster(["--nats", "3"], switches(limit));
  const servers = await natsServersOf(cluster);
  await servers.settled();
  const names = ["nats-1", "nats-2", "nats-3"];
  return {
    cluster,
    gateways: cluster.gateways,
    faults: {
      async nats() {
        const spared = oneOf(names, chance);
        const bringBack = await servers.takeDown(names.filter((name) => name !== spared));
        await sleep(8_000);
        await bringBack();
        const { stream } = await servers.settled();
        await (await servers.takeDown([stream], { wiped: true }))();
        await servers.settled();
        return [];
      },
    },
    async stop() {
      await servers.close();
      await cluster.stop();
    },
  };
}

/** The platform on a PostgreSQL whose primary is lost, with or without closed connections, and whose synchronous standby takes its place. */
export async function failoverStage({ limit, chance }: StageOptions): Promise<Stage> {
  const pair = await startPair("sync", [], switches(limit));
  return {
    cluster: pair.cluster,
    gateways: pair.cluster.gateways,
    faults: {
      async failover() {
        await (chance() < 0.5 ? pair.losePrimary() : pair.haltPrimary());
        await sleep(DOWN_MS);
        await pair.failOver();
        return ["crash"];
      },
    },
    stop: pair.stop,
  };
}

const isStore = (name: string) => /^(postgres|nats)/.test(name);

function oneOf(names: readonly string[], chance: Chance): string {
  return names[Math.floor(chance() * names.length)] ?? "";
}

async function requireSuccessor(cluster: Stage["cluster"], name: string, before: number): Promise<void> {
  if ((await cluster.process(name)).pid === before) throw new Error(`${name} has not been started again.`);
  await cluster.healthy();
}
