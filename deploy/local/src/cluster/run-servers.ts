import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, type ProcessIdentity, processIdentity } from "@shipping/local/servers/process-identity";
import { type Server, type Supervised, supervise } from "@shipping/local/servers/supervise";

/** The tiers, in the order in which they stop. */
export type Tier = "portals" | "gateways" | "services" | "stores";

export interface RunningServer {
  name: string;
  pid: number;
  address: string;
}

export type Servers = ReturnType<typeof runServers>;

/** The deadline of each tier, in milliseconds from the beginning of the stop. */
const STOP_MS: Record<Tier, number> = { portals: 8_000, gateways: 15_000, services: 26_000, stores: 29_000 };
const FAST_STOP_MS: Record<Tier, number> = { portals: 1_000, gateways: 1_800, services: 3_000, stores: 3_800 };
const TIERS = Object.keys(STOP_MS) as Tier[];

/** Runs servers and lists their processes in the data folder `path`. `onChange` is called when one has a new pid. */
export function runServers(options: { path: string; say(line: string): void; onChange(): void }) {
  const list = createProcessList(options.path);
  const running: { tier: Tier; supervised: Supervised }[] = [];
  const latest = new Map<string, RunningServer>();
  let stopping = false;
  const inTier = (tier: Tier) => running.filter((one) => one.tier === tier).map((one) => one.supervised);
  const killTier = (tier: Tier) => {
    for (const supervised of inTier(tier)) supervised.kill();
  };

  return {
    /** Starts a server, and resolves when it is ready for the first time. */
    async start(tier: Tier, server: Server): Promise<void> {
      // The cluster was stopped while this server was being prepared.
      if (stopping) throw new Error("The cluster is stopping.");
      const { name, address } = server;
      const spawned = (pid: number) => {
        list.add(name, pid);
        latest.set(name, { name, pid, address });
        options.onChange();
      };
      const supervised = supervise(server, { spawned, say: options.say });
      running.push({ tier, supervised });
      await supervised.ready;
    },
    /** All servers that are kept running, with their latest pids. */
    list: () => [...latest.values()],
    /** Stops all servers, tier by tier, within 29 s (`fast`: 3.8 s), and kills those that have not ended by their tier's deadline. */
    async stop(fast = false): Promise<void> {
      stopping = true;
      const begun = performance.now();
      const limits = fast ? FAST_STOP_MS : STOP_MS;
      for (const tier of TIERS) {
        const impatience = setTimeout(() => killTier(tier), begun + limits[tier] - performance.now());
        await Promise.all(inTier(tier).map((supervised) => supervised.stop(fast)));
        clearTimeout(impatience);
      }
      list.clear();
    },
  };
}

const FILE = "cluster-processes.json";
const PATIENCE_MS = 4_000;

interface ListedProcess extends ProcessIdentity {
  name: string;
}

/** Keeps a file of the processes that a cluster has started, so that the next start can end them if the cluster was killed. */
export function createProcessList(path: string) {
  const file = join(path, FILE);
  const processes = new Map<string, ListedProcess>();
  return {
    /** Writes a process to the file immediately, so that only a kill at this moment leaves it unrecorded. */
    add(name: string, pid: number): void {
      const identity = processIdentity(pid);
      if (!identity) return;
      processes.set(name, { name, ...identity });
      writeFileSync(`${file}.new`, JSON.stringify([...processes.values()]), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    clear(): void {
      // If we have no processes yet, the file belongs to the previous cluster.
      if (processes.size > 0) rmSync(file, { force: true });
    },
  };
}

/** Ends the processes that a killed cluster left running in the data folder `path`, clients before servers. */
export async function endLeftProcesses(path: string, say: (line: string) => void): Promise<void> {
  const left = readProcessList(join(path, FILE)).filter(isRunning);
  if (left.length === 0) return;
  say(`Stopping processes left over from an earlier run: ${left.map(({ name }) => name).join(", ")} …`);
  const serves = ({ name }: ListedProcess) => /^(postgres|nats)/.test(name);
  await Promise.all(left.filter((one) => !serves(one)).map(end));
  await Promise.all(left.filter(serves).map(end));
}

/** Ends a process of a cluster with SIGINT, a fast and clean shutdown for all of them, and by force after `PATIENCE_MS`. */
async function end(identity: ProcessIdentity): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  signal(identity, "SIGINT");
  while (isRunning(identity)) {
    if (performance.now() > deadline) signal(identity, "SIGKILL");
    await sleep(20);
  }
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    if (isRunning(identity)) process.kill(identity.pid, name);
  } catch (error) {
    // The process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function readProcessList(file: string): ListedProcess[] {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ListedProcess[];
  } catch {
    return [];
  }
}
