import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "@shipping/kit/testing/eventually";
import { superuserUrl } from "@shipping/local/cluster/fail-over";
import { moveAddress } from "@shipping/local/standby/address";
import { promote, withServer } from "@shipping/local/standby/replication";
import type { ClusterProcess, ClusterUnderTest } from "../../cluster.js";

/** What can happen to a primary and its standby, as an operator or a machine does it. */
export interface PostgresPair {
  /** Ends every process of the primary at once, and deletes its data. */
  losePrimary(): Promise<void>;
  /** Halts every process of the primary: its connections stay open and say nothing, as after the loss of a machine. */
  haltPrimary(): Promise<void>;
  /** Ends what is left of it. A halted process hears no other signal. */
  endPrimary(): Promise<void>;
  /** Ends the replication: from now on the standby has what it has. Resolves when all of that can be read there. */
  cutOffStandby(): Promise<void>;
  /** Halts every process of the standby while `work` goes on. */
  withoutStandby(work: () => Promise<unknown>): Promise<void>;
  /** Lets the primary answer, but refuse every write, on connections that are open, too. */
  demotePrimary(): Promise<void>;
  /** The superuser's URL of one of the two. */
  url(server: "postgres-1" | "postgres-2"): string;
  /** Runs a statement on one of the two. */
  query<Row>(server: "postgres-1" | "postgres-2", text: string): Promise<Row[]>;
  /** Promotes the standby and moves the address there. Resolves with the moment at which it took writes, as `performance.now()`. */
  failOver(): Promise<number>;
}

/** The pair of a cluster that was started with `--standby`. */
export async function pairOf(cluster: ClusterUnderTest): Promise<PostgresPair> {
  const { dataDir } = cluster;
  const [primary, standby] = await Promise.all([cluster.process("postgres-1"), cluster.process("postgres-2")]);
  const urls = {
    "postgres-1": await superuserUrl(dataDir, primary.address),
    "postgres-2": await superuserUrl(dataDir, standby.address),
  };

  async function signalAll(server: ClusterProcess, signal: NodeJS.Signals): Promise<void> {
    // The postmaster first: it would start again what ends.
    for (const pid of [server.pid, ...(await childrenOf(server.pid))]) sendIfThere(pid, signal);
  }

  const query: PostgresPair["query"] = (server, text) =>
    withServer(urls[server], async (client) => (await client.query(text)).rows);

  return {
    async losePrimary() {
      await signalAll(primary, "SIGKILL");
      await rm(join(dataDir, "postgres"), { recursive: true, force: true });
    },
    haltPrimary: () => signalAll(primary, "SIGSTOP"),
    endPrimary: () => signalAll(primary, "SIGKILL"),
    async withoutStandby(work) {
      await signalAll(standby, "SIGSTOP");
      await work().finally(() => signalAll(standby, "SIGCONT"));
    },
    async cutOffStandby() {
      await query("postgres-2", "ALTER SYSTEM SET primary_conninfo = ''");
      await query("postgres-2", "SELECT pg_reload_conf()");
      await eventually(async () => {
        const [state] = await query<{ behind: boolean }>(
          "postgres-2",
          `SELECT EXISTS (SELECT FROM pg_stat_wal_receiver) OR pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() AS behind`,
        );
        if (state?.behind) throw new Error("The standby still receives or replays.");
      });
    },
    async demotePrimary() {
      await query("postgres-1", "ALTER SYSTEM SET default_transaction_read_only = on");
      await query("postgres-1", "SELECT pg_reload_conf()");
    },
    url: (server) => urls[server],
    query,
    async failOver() {
      await promote(urls["postgres-2"]);
      const promotedMs = performance.now();
      moveAddress(dataDir, { server: "postgres-2", port: Number(standby.address.split(":")[1]) });
      return promotedMs;
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return rows.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
}

function sendIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
