import { setTimeout as sleep } from "node:timers/promises";
import type { Part } from "@shipping/local/parts";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { databaseUrl, superuserUrl, withServer } from "../../failover/postgres/replication.js";
import { signalTree } from "../../kit/processes.js";

/** Alternately stops and continues every process of PostgreSQL, like a disk that hangs. */
export async function hangInBursts(
  cluster: ClusterUnderTest,
  { bursts, stoppedMs, runningMs }: { bursts: number; stoppedMs: number; runningMs: number },
): Promise<void> {
  const { pid } = await cluster.process("postgres");
  for (let burst = 0; burst < bursts; burst++) {
    signalTree(pid, "SIGSTOP");
    await sleep(stoppedMs);
    signalTree(pid, "SIGCONT");
    await sleep(runningMs);
  }
}

/** Holds a lock that blocks all use of the table, as a careless migration does. */
export async function holdLock(
  { dataDir }: ClusterUnderTest,
  { part, table, ms }: { part: Part; table: string; ms: number },
): Promise<void> {
  await withServer(await databaseUrl(dataDir, part), async (client) => {
    await client.query(`BEGIN; LOCK TABLE ${client.escapeIdentifier(table)} IN ACCESS EXCLUSIVE MODE`);
    await sleep(ms);
    await client.query("ROLLBACK");
  });
}

const MAX_PIECES = 500;

/** Makes PostgreSQL write its log until the disk is full: then it closes all connections, and cannot start again. */
export async function writeLogUntilPanic(cluster: ClusterUnderTest): Promise<void> {
  const { address } = await cluster.process("postgres");
  const isFull = await withServer(await superuserUrl(cluster.dataDir, address), async (client) => {
    for (let piece = 0; piece < MAX_PIECES; piece++)
      await client.query("SELECT pg_logical_emit_message(true, 'ballast', repeat('x', 1000000))");
  }).then(
    () => false,
    () => true,
  );
  if (!isFull) throw new Error("PostgreSQL had room for all of its log.");
}
