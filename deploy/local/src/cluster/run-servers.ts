import { type Server, type Supervised, supervise } from "@shipping/local/servers/supervise";
import { openProcessRecord } from "./process-record.js";

/** The order of the stop: gateways, then services, then the stores. */
export type Tier = "gateways" | "services" | "stores";

/** A process as `cluster.json` tells of it. */
export interface RunningServer {
  name: string;
  pid: number;
  address: string;
}

/** The servers of a cluster, each kept running. */
export interface Servers {
  /** Starts one, and resolves when it is ready for the first time. */
  start(tier: Tier, server: Server): Promise<void>;
  /** All that are kept running, with their latest pids. */
  list(): RunningServer[];
  /** Stops all, tier by tier, within 29 s (`fast`: 3.8 s); what has not ended by its tier's deadline is killed. */
  stop(fast?: boolean): Promise<void>;
}

/** When a tier has to have ended, in milliseconds from the beginning of the stop. */
const STOP_MS: Record<Tier, number> = { gateways: 15_000, services: 26_000, stores: 29_000 };
const FAST_STOP_MS: Record<Tier, number> = { gateways: 1_500, services: 3_000, stores: 3_800 };
const TIERS = Object.keys(STOP_MS) as Tier[];

/** Runs servers whose processes are recorded in the data folder `path`. `onChange` is told whenever one has a new pid. */
export function runServers(options: { path: string; say(line: string): void; onChange(): void }): Servers {
  const record = openProcessRecord(options.path);
  const running: { tier: Tier; supervised: Supervised }[] = [];
  const latest = new Map<string, RunningServer>();
  let stopping = false;
  const inTier = (tier: Tier) => running.filter((one) => one.tier === tier).map((one) => one.supervised);
  const killTier = (tier: Tier) => {
    for (const supervised of inTier(tier)) supervised.kill();
  };

  return {
    async start(tier, server) {
      // A server that was still being prepared when the cluster was stopped.
      if (stopping) throw new Error("The cluster is stopping.");
      const { name, address } = server;
      const spawned = (pid: number) => {
        record.add(name, pid);
        latest.set(name, { name, pid, address });
        options.onChange();
      };
      const supervised = supervise(server, { spawned, say: options.say });
      running.push({ tier, supervised });
      await supervised.ready;
    },
    list: () => [...latest.values()],
    async stop(fast = false) {
      stopping = true;
      const begun = performance.now();
      const limits = fast ? FAST_STOP_MS : STOP_MS;
      for (const tier of TIERS) {
        const impatience = setTimeout(() => killTier(tier), begun + limits[tier] - performance.now());
        await Promise.all(inTier(tier).map((supervised) => supervised.stop(fast)));
        clearTimeout(impatience);
      }
      record.clear();
    },
  };
}
