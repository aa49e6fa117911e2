import { chmod, copyFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { LEDGER_OWNERS } from "@shipping/proto/parts";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { copyServer, follow, restoreCopy } from "../failover/postgres/copy-server.js";
import { superuserUrl, withServer } from "../failover/postgres/replication.js";

const KEYS = "secrets.key";

/** Backups of a cluster's PostgreSQL and of its encryption keys in a folder, as an operator makes them. */
export async function keepBackups(folder: string) {
  const [base, archive, keys] = ["base", "archive", KEYS].map((name) => join(folder, name)) as [string, string, string];
  await mkdir(archive, { recursive: true });
  await chmod(folder, 0o755);
  // PostgreSQL runs as another user if this process runs as root.
  await chmod(archive, 0o777);

  return {
    /** Makes the server archive its log continuously, which needs a restart. */
    async beginArchive(cluster: ClusterUnderTest) {
      await ask(cluster, "ALTER SYSTEM SET archive_mode = on");
      await ask(cluster, `ALTER SYSTEM SET archive_command = 'cp %p ${archive}/%f'`);
      process.kill((await cluster.process("postgres")).pid, "SIGINT");
      await eventually(async () => {
        if ((await ask(cluster, "SHOW archive_mode"))[0]?.archive_mode !== "on")
          throw new Error("It is not archived yet.");
      });
      await cluster.healthy();
    },
    /** Copies the server and the keys. */
    async copy(cluster: ClusterUnderTest) {
      const url = await urlOf(cluster);
      await copyServer({ url, dataDir: join(cluster.dataDir, "postgres") }, base);
      await copyFile(join(cluster.dataDir, KEYS), keys);
    },
    /** The size of the base backup. */
    async bytes(): Promise<number> {
      const files = await readdir(base, { recursive: true, withFileTypes: true });
      const sizes = files
        .filter((file) => file.isFile())
        .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    /** Names this moment, and resolves when the log up to it is archived. */
    async markPoint(cluster: ClusterUnderTest, name: string) {
      await ask(cluster, `SELECT pg_create_restore_point('${name}')`);
      const [{ file } = { file: "" }] = await ask(cluster, "SELECT pg_walfile_name(pg_switch_wal()) AS file");
      await eventually(async () => {
        const [{ last } = { last: "" }] = await ask(cluster, "SELECT last_archived_wal AS last FROM pg_stat_archiver");
        if (!last || last < (file ?? "")) throw new Error("The log is not archived yet.");
      });
    },
    /** Replaces the data by the copy, and recovers it to a named moment. Yields the server, which runs. */
    async restore(dataDir: string, point: string) {
      const postgres = join(dataDir, "postgres");
      await restoreCopy(base, postgres);
      await copyFile(keys, join(dataDir, KEYS));
      await follow(postgres, "recovery", {
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_name: point,
        recovery_target_action: "promote",
      });
      // Ready once the recovery has ended.
      return startEmbeddedPostgres({ dataDir: postgres });
    },
  };
}

/** Loses the server and all its data, and the keys. */
export async function loseServer(cluster: ClusterUnderTest): Promise<void> {
  await cluster.kill("postgres");
  await rm(join(cluster.dataDir, "postgres"), { recursive: true, force: true });
  await rm(join(cluster.dataDir, KEYS));
}

/** Step 2 of the guide: the gateway's next token is above every ledger's. Yields the amount by which it was raised. */
export async function raiseTokens(url: string): Promise<number> {
  const one = (database: string, statement: string) =>
    withServer(new URL(`/${database}`, url).href, async (client) =>
      BigInt((await client.query(statement)).rows[0].value),
    );
  const tops = await Promise.all(
    LEDGER_OWNERS.map((owner) => one(owner, "SELECT coalesce(max(token), 0) AS value FROM ledger")),
  );
  const before = await one("gateway", "SELECT last_value AS value FROM idempotency_token");
  const after = await one(
    "gateway",
    `SELECT setval('idempotency_token', greatest(${tops.join(", ")}, (SELECT last_value FROM idempotency_token)) + 1000) AS value`,
  );
  return Number(after - before);
}

/** The URL of the cluster's PostgreSQL, as its superuser. */
export async function urlOf(cluster: ClusterUnderTest): Promise<string> {
  return superuserUrl(cluster.dataDir, (await cluster.process("postgres")).address);
}

async function ask(cluster: ClusterUnderTest, statement: string): Promise<Record<string, string>[]> {
  return withServer(await urlOf(cluster), async (client) => (await client.query(statement)).rows);
}
