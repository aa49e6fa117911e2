import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDatabases } from "@shipping/local/databases/prepare-databases";
import { mapParts, migrationFolders } from "@shipping/local/parts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { startLoad } from "../failover/load.js";
import { withServer } from "../failover/postgres/replication.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";

const SETTINGS = {
  DateStyle: "German",
  timezone: "Asia/Kathmandu",
  IntervalStyle: "iso_8601",
  array_nulls: "off",
  bytea_output: "escape",
  extra_float_digits: "-3",
  default_transaction_isolation: "serializable",
  synchronous_commit: "off",
};
const LOAD_MS = 10_000;

/** Runs the workload on a server with other defaults; and expects an error for a database of another encoding. */
export const settingsRow = (say: Say): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), settings: SETTINGS });
    ends.push(() => postgres.stop());
    const passwords = mapParts(() => randomBytes(18).toString("base64url"));
    const urls = Object.entries(await createDatabases({ url: postgres.url("postgres"), passwords }));
    const env = Object.fromEntries(urls.map(([part, own]) => [`DATABASE_URL_${part.toUpperCase()}`, own]));
    const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000", ...env });
    ends.push(() => cluster.stop());
    const load = await startLoad(cluster, { clients: 4 });
    await sleep(LOAD_MS);
    const refusal = await migrateLatin(postgres);
    return verdict(say, cluster, load, {
      figures: { refusal },
      promises: [
        [/"msg":"The database has the encoding LATIN1\./.test(refusal), "The refusal does not name the encoding."],
      ],
    });
  });

/** Yields the message with which a migration of a database with another encoding fails. */
async function migrateLatin(postgres: EmbeddedPostgres): Promise<string> {
  await withServer(postgres.url("postgres"), (client) =>
    client.query("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"),
  );
  const cwd = dirname(migrationFolders.records);
  const program = fileURLToPath(new URL("../../../kit/bin/migrate.js", import.meta.url));
  const env = { ...process.env, DATABASE_URL: postgres.url("latin") };
  return promisify(execFile)(process.execPath, [program], { cwd, env }).then(
    () => "A database with the encoding LATIN1 was migrated.",
    ({ stdout, stderr }) => `${stdout}${stderr}`.trim(),
  );
}
