import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Part, parts } from "@shipping/local/parts";
import { type ClusterUnderTest, startCluster } from "../../../platform/cluster.js";
import { type Stage, type StageOptions, switches } from "./stage.js";

const SKEW_MS = 300_000;
const JUMP_EVERY_MS = 250;
const WRONG_MS = 10_000;
const LOADER = new URL("./shift-clock.mjs", import.meta.url);

/** The platform whose processes and databases have clocks of their own, which disagree by minutes, and then jump. */
export async function clocksStage({ limit }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "clocks-"));
  const file = join(folder, "clocks.json");
  const options = `${process.env.NODE_OPTIONS ?? ""} --import=${LOADER.href}`;
  const cluster = await startCluster([], { ...switches(limit), NODE_OPTIONS: options, CLOCKS_FILE: file });
  await Promise.all(parts.map((part) => giveClock(cluster, part)));
  await cluster.healthy();
  const { processes } = await cluster.now();
  const ports = new Map(
    processes
      .filter(({ name }) => parts.some((part) => name.startsWith(`${part}-`)))
      .map(({ name, address }) => [name, address.split(":").at(-1) ?? ""]),
  );
  const clocks = new Map<string, number>();

  /** Sets the clock of `records-1` or of the `records database` so many milliseconds ahead of the true time. */
  async function set(name: string, aheadMs: number): Promise<void> {
    clocks.set(name, aheadMs);
    const [part] = name.split(" ");
    if (name.endsWith(" database")) return setDatabase(cluster, part as Part, aheadMs);
    const entries = [...clocks].map(([one, ms]) => [ports.get(one), ms]).filter(([port]) => port);
    await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(entries)));
    await rename(`${file}.new`, file);
  }

  const names = [...ports.keys(), ...parts.map((part) => `${part} database`)];
  return {
    cluster,
    gateways: cluster.gateways,
    faults: {
      async clocks() {
        // Of two replicas one is ahead and one is behind, and so is every other database.
        for (const [turn, name] of names.entries()) await set(name, turn % 2 ? SKEW_MS : -SKEW_MS);
        await sleep(WRONG_MS);
        // One clock after the other gets another time: minutes forward or back, or the right one.
        for (const until = performance.now() + WRONG_MS; performance.now() < until; await sleep(JUMP_EVERY_MS)) {
          const name = names[Math.floor(Math.random() * names.length)] ?? "";
          const others = [-SKEW_MS, 0, SKEW_MS].filter((aheadMs) => aheadMs !== (clocks.get(name) ?? 0));
          await set(name, others[Math.floor(Math.random() * others.length)] ?? 0);
        }
        for (const name of names) await set(name, 0);
        return ["clocks"];
      },
    },
    async stop() {
      await cluster.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * PostgreSQL has no clock of its own to set. All our statements call `clock_timestamp()` for the time, so a function of ours precedes it in the
 * search path of every new connection.
 */
async function giveClock({ databases }: ClusterUnderTest, part: Part): Promise<void> {
  const { pool } = databases[part];
  const client = await pool.connect();
  await client.query(`
    CREATE SCHEMA clocks;
    CREATE TABLE clocks.ahead (ms float8 NOT NULL);
    INSERT INTO clocks.ahead VALUES (0);
    CREATE FUNCTION clocks.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      RETURN pg_catalog.clock_timestamp() + (SELECT ms FROM clocks.ahead) * interval '1 ms';
    END $$;
    ALTER DATABASE ${part} SET search_path = clocks, pg_catalog, public`);
  // Connections from before still have the true time, this one included.
  await client.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  client.release(true);
  const { rows } = await pool.query<{ schema: string }>(
    "SELECT pronamespace::regnamespace::text AS schema FROM pg_proc WHERE oid = 'clock_timestamp()'::regprocedure",
  );
  if (rows[0]?.schema !== "clocks") throw new Error(`The clock of ${part}'s database cannot be set.`);
}

async function setDatabase({ databases }: ClusterUnderTest, part: Part, aheadMs: number): Promise<void> {
  await databases[part].pool.query("UPDATE clocks.ahead SET ms = $1", [aheadMs]);
}
