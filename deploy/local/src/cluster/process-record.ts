import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, type ProcessIdentity, processIdentity } from "@shipping/local/servers/process-identity";

const FILE = "cluster-processes.json";
const PATIENCE_MS = 4_000;

interface Recorded extends ProcessIdentity {
  name: string;
}

/** The processes that a cluster has started in a data folder, so that the next start can end them after the cluster was killed. */
export interface ProcessRecord {
  /** Records a process at once, so that a kill between its start and the record is nearly impossible. */
  add(name: string, pid: number): void;
  clear(): void;
}

/** Begins a new record in the data folder `path`. */
export function openProcessRecord(path: string): ProcessRecord {
  const file = join(path, FILE);
  const processes = new Map<string, Recorded>();
  return {
    add(name, pid) {
      const identity = processIdentity(pid);
      if (!identity) return;
      processes.set(name, { name, ...identity });
      writeFileSync(`${file}.new`, JSON.stringify([...processes.values()]), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    clear() {
      // Until then the file is the former cluster's.
      if (processes.size > 0) rmSync(file, { force: true });
    },
  };
}

/** Ends the processes that a killed cluster left running in the data folder `path`, clients before servers. */
export async function endRecorded(path: string, say: (line: string) => void): Promise<void> {
  const left = recordedIn(join(path, FILE)).filter(isRunning);
  if (left.length === 0) return;
  say(`Stopping processes left over from an earlier run: ${left.map(({ name }) => name).join(", ")} …`);
  const serves = ({ name }: Recorded) => /^(postgres|nats)/.test(name);
  const endEach = (recorded: Recorded) => end(recorded, PATIENCE_MS);
  await Promise.all(left.filter((recorded) => !serves(recorded)).map(endEach));
  await Promise.all(left.filter(serves).map(endEach));
}

/**
 * Ends a process of a cluster: with SIGINT, which is a fast, clean shutdown for all of them, PostgreSQL and NATS included, and by force
 * after `patienceMs`.
 */
export async function end(identity: ProcessIdentity, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
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
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function recordedIn(file: string): Recorded[] {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Recorded[];
  } catch {
    return [];
  }
}
