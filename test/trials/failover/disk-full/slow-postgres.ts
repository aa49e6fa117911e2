import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Part } from "@shipping/local/parts";
import pg from "pg";
import type { ClusterUnderTest } from "../../../platform/cluster.js";

/** Alternately stops and continues every process of PostgreSQL, like a disk that hangs. */
export async function hangInBursts(
  cluster: ClusterUnderTest,
  { bursts, stoppedMs, runningMs }: { bursts: number; stoppedMs: number; runningMs: number },
): Promise<void> {
  const { pid } = await cluster.process("postgres");
  for (let burst = 0; burst < bursts; burst++) {
    const stopped = [pid, ...(await childrenOf(pid))];
    signal(stopped, "SIGSTOP");
    await sleep(stoppedMs);
    signal(stopped, "SIGCONT");
    await sleep(runningMs);
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    numbers.map(async (number) => {
      const status = await readFile(`/proc/${number}/stat`, "utf8").catch(() => "");
      // After the name, which may contain anything: the state, then the parent.
      return { pid: Number(number), parent: Number(status.split(") ").at(-1)?.split(" ")[1]) };
    }),
  );
  return parents.filter((one) => one.parent === parent).map(({ pid }) => pid);
}

/** Holds a lock that blocks all use of the table, as a careless migration does. */
export async function holdLock(
  cluster: ClusterUnderTest,
  { part, table, ms }: { part: Part; table: string; ms: number },
): Promise<void> {
  const { databases } = JSON.parse(await readFile(join(cluster.dataDir, "platform.json"), "utf8"));
  const client = new pg.Client(databases[part]);
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${pg.escapeIdentifier(table)} IN ACCESS EXCLUSIVE MODE`);
    await sleep(ms);
    await client.query("ROLLBACK");
  } finally {
    await client.end();
  }
}

const MAX_PIECES = 500;

/** Makes PostgreSQL write its log until the disk is full: then it closes all connections, and cannot start again. */
export async function writeLogUntilPanic(cluster: ClusterUnderTest): Promise<void> {
  const [password, { address }] = await Promise.all([
    readFile(join(cluster.dataDir, "postgres.password"), "utf8"),
    cluster.process("postgres"),
  ]);
  const client = new pg.Client(`postgresql://postgres:${password}@${address}/postgres`);
  client.on("error", () => {});
  await client.connect();
  try {
    for (let piece = 0; piece < MAX_PIECES; piece++) {
      await client.query("SELECT pg_logical_emit_message(true, 'ballast', repeat('x', 1000000))");
    }
  } catch {
    return;
  } finally {
    await client.end().catch(() => {});
  }
  throw new Error("PostgreSQL had room for all of its log.");
}
