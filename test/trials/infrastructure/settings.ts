import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrationFolders } from "@shipping/local/parts";
import pg from "pg";
import { startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { type Report, reportOf } from "../chaos/deliveries/report.js";
import { startLoad } from "../failover/load.js";
import { verdict } from "../failover/verdict.js";
import { runProgram, startDatabases, withFolder } from "./stand.js";

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
export const settingsRow = (say: (line: string) => void): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const { postgres, env } = await startDatabases(join(folder, "postgres"), SETTINGS);
    ends.push(() => postgres.stop());
    const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000", ...env });
    ends.push(() => cluster.stop());
    const load = await startLoad(cluster, { clients: 4 });
    await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
    say(`${load.acknowledged()} writes acknowledged; auditing`);
    const refusal = await migrateLatin(postgres.url("postgres"), (database) => postgres.url(database));
    const report = await verdict(cluster, load, { figures: { refusal: refusal.printed.trim() }, promises: [] });
    const { broken } = reportOf({}, [
      [refusal.status === 1, "A database with the encoding LATIN1 was migrated."],
      [
        /"msg":"The database has the encoding LATIN1\./.test(refusal.printed),
        "The refusal does not name the encoding.",
      ],
    ]);
    return { figures: report.figures, broken: [...report.broken, ...broken] };
  });

async function migrateLatin(server: string, urlOf: (database: string) => string) {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
  await client.end();
  const cwd = dirname(migrationFolders.records);
  const migrate = fileURLToPath(new URL("../../../kit/bin/migrate.js", import.meta.url));
  return runProgram([migrate], { cwd, env: { ...process.env, DATABASE_URL: urlOf("latin") } });
}
