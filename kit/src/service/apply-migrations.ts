import "../process/require-node.js";
import { basename, join } from "node:path";
import sql from "sql-template-tag";
import { openDatabase } from "../postgres/database.js";
import { migrate } from "../postgres/migrate.js";
import { migrationConfig } from "../process/config.js";
import { createLog } from "../process/log.js";
import { configured, waitFor } from "../process/run-process.js";
import { Unsupported } from "../process/supported-versions.js";

// The command `migrate` runs in a part's folder: it waits for the part's database and applies the migrations that it lacks. You can run it
// again at any time, and several times at once.
const { url, logLevel } = configured(migrationConfig);
const directory = join(process.cwd(), "prisma");
const log = createLog({ part: basename(process.cwd()), level: logLevel });
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());

const db = openDatabase(url, { max: 1, log });
try {
  await waitFor("database", { log, stopping: stopping.signal, attempt: () => db.run(sql`SELECT 1`) });
  const { applied, edited } = await migrate({ url, directory, log });
  log.info({ applied }, applied.length > 0 ? "migrated" : "nothing to migrate");
  if (edited.length > 0)
    log.warn({ edited }, "changed after they were applied: the database keeps the earlier version");
} catch (err) {
  process.exitCode = 1;
  if (err instanceof Unsupported) log.fatal(err.message);
  else log.fatal({ err }, "migration failed");
} finally {
  await db.close();
}
