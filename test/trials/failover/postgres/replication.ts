import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import type { Part } from "@shipping/local/parts";
import pg from "pg";

/** The standby's name, which is also that of its role, its replication slot, and its entry in `synchronous_standby_names`. */
export const STANDBY = "standby";

/** The URL of the superuser of a cluster's PostgreSQL, which listens at `address`. */
export async function superuserUrl(dataDir: string, address: string): Promise<string> {
  const password = (await readFile(join(dataDir, "postgres.password"), "utf8")).trim();
  return `postgresql://postgres:${encodeURIComponent(password)}@${address}/postgres`;
}

/** The URL of a part's database of a cluster, as the part uses it. */
export async function databaseUrl(dataDir: string, part: Part): Promise<string> {
  return JSON.parse(await readFile(join(dataDir, "platform.json"), "utf8")).databases[part];
}

/** Connects to a server as its superuser for as long as `work` takes. */
export async function withServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // A primary that waits for its standby would otherwise keep these commits waiting, too.
  const client = new pg.Client({ connectionString: url, options: "-c synchronous_commit=local" });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates the primary's objects for a standby: a role that may replicate, and a slot that keeps the log until the standby has it. */
export async function prepareReplication(url: string, password: string): Promise<void> {
  await withServer(url, async (client) => {
    await client.query(`CREATE ROLE ${STANDBY} LOGIN REPLICATION PASSWORD ${pg.escapeLiteral(password)}`);
    await client.query("SELECT pg_create_physical_replication_slot($1, true)", [STANDBY]);
  });
}

/** Waits until the standby has everything that the primary at `url` has committed, and follows it as `mode` says. */
export async function untilStreaming(url: string, mode: "sync" | "async"): Promise<void> {
  await withServer(url, (client) =>
    eventually(async () => {
      const { rowCount } = await client.query(
        "SELECT FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming' AND sync_state = $2",
        [STANDBY, mode],
      );
      if (rowCount !== 1) throw new Error("The standby does not follow the primary. See its log.");
    }),
  );
}

/** Makes the standby at `url` a primary. Resolves when it takes writes. */
export async function promote(url: string): Promise<void> {
  await withServer(url, async (client) => {
    const { rows } = await client.query("SELECT pg_is_in_recovery() AS follows");
    if (!rows[0].follows) throw new Error("This server is no standby.");
    const promoted = await client.query("SELECT pg_promote(true, 60) AS done");
    if (!promoted.rows[0].done) throw new Error("The standby was not promoted within a minute. See its log.");
  });
}
