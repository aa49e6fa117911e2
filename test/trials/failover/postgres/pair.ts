import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { createDatabases } from "@shipping/local/databases/prepare-databases";
import { mapParts, type Part } from "@shipping/local/parts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { startCluster } from "../../../platform/cluster.js";
import { signalTree } from "../../kit/processes.js";
import { copyServer, follow } from "./copy-server.js";
import { forward } from "./forward.js";
import { prepareReplication, promote, STANDBY, untilStreaming, withServer } from "./replication.js";

/** A PostgreSQL with a standby, and the faults that an operator or a machine causes. */
export type PostgresPair = Awaited<ReturnType<typeof startPair>>;

/**
 * Starts the platform on a PostgreSQL with a standby and a port that leads to the primary. `sync` commits wait until the standby has them.
 * `through` gets that port and the passwords of the parts, and returns the port by which the parts reach it.
 */
export async function startPair(
  mode: "sync" | "async",
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  through: (port: number, passwords: Record<Part, string>) => Promise<number> = async (port) => port,
) {
  const folder = await mkdtemp(join(tmpdir(), "shipping-pair-"));
  await chmod(folder, 0o755);
  const [primaryDir, standbyDir] = [join(folder, "postgres-1"), join(folder, "postgres-2")];
  const settings = { synchronous_standby_names: mode === "sync" ? STANDBY : "" };
  const primary = await startEmbeddedPostgres({ dataDir: primaryDir, settings });
  const standby = await startStandby(primary, primaryDir, standbyDir);
  await untilStreaming(primary.url("postgres"), mode);
  let leader = primary;
  const address = await forward(() => leader.port);
  const url = new URL(primary.url("postgres"));
  const passwords = mapParts(() => randomBytes(18).toString("base64url"));
  url.port = String(await through((address.address() as AddressInfo).port, passwords));
  const urls = Object.entries(await createDatabases({ url: url.href, passwords }));
  const databases = Object.fromEntries(urls.map(([part, own]) => [`DATABASE_URL_${part.toUpperCase()}`, own]));
  const cluster = await startCluster(flags, { RATE_LIMIT_PER_MINUTE: "1000000", ...env, ...databases });

  const servers = { "postgres-1": primary, "postgres-2": standby };
  const query = <Row>(server: keyof typeof servers, text: string): Promise<Row[]> =>
    withServer(servers[server].url("postgres"), async (client) => (await client.query(text)).rows);
  return {
    cluster,
    /** Ends every process of the primary at once, and deletes its data. */
    async losePrimary() {
      signalTree(primary.pid, "SIGKILL");
      await rm(primaryDir, { recursive: true, force: true });
    },
    /** Halts every process of the primary: its connections stay open and silent, as after the loss of a machine. */
    haltPrimary: () => signalTree(primary.pid, "SIGSTOP"),
    /** Halts every process of the standby while `work` goes on. */
    async withoutStandby(work: () => Promise<unknown>) {
      signalTree(standby.pid, "SIGSTOP");
      await work().finally(() => signalTree(standby.pid, "SIGCONT"));
    },
    /** Ends the replication, so that the standby gets no further data. Resolves when all of its data can be read there. */
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
    /** Lets the primary respond, but refuse every write, on open connections, too. */
    async demotePrimary() {
      await query("postgres-1", "ALTER SYSTEM SET default_transaction_read_only = on");
      await query("postgres-1", "SELECT pg_reload_conf()");
    },
    /** The superuser's URL of one of the two. */
    url: (server: keyof typeof servers) => servers[server].url("postgres"),
    query,
    /** Promotes the standby and moves the host name there. Resolves with the moment at which it accepted writes, as `performance.now()`. */
    async failOver() {
      await promote(standby.url("postgres"));
      const promotedMs = performance.now();
      leader = standby;
      return promotedMs;
    },
    async stop() {
      await cluster.stop();
      // A halted process receives no other signal.
      signalTree(primary.pid, "SIGKILL");
      await standby.stop();
      address.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startStandby(
  primary: EmbeddedPostgres,
  primaryDir: string,
  standbyDir: string,
): Promise<EmbeddedPostgres> {
  const password = randomBytes(18).toString("base64url");
  await prepareReplication(primary.url("postgres"), password);
  await copyServer({ url: primary.url("postgres"), dataDir: primaryDir }, standbyDir);
  const { port } = primary;
  await follow(standbyDir, "standby", {
    primary_conninfo: `host=127.0.0.1 port=${port} user=${STANDBY} password=${password} application_name=${STANDBY}`,
    primary_slot_name: STANDBY,
    wal_retrieve_retry_interval: "500ms",
  });
  return startEmbeddedPostgres({ dataDir: standbyDir });
}
