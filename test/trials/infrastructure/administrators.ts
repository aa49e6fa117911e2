import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "@shipping/kit/postgres/migrate";
import { TEST_SETTINGS } from "@shipping/kit/testing/database";
import { migrationFolders } from "@shipping/local/parts";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { databaseStatements } from "../../docs/fences.js";
import { withServer } from "../failover/postgres/replication.js";
import { type Report, reportOf, type Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { combinations } from "../versions/combinations.js";
import { getPostgres } from "../versions/get-programs.js";

const VERSIONS = [
  combinations.oldest!.postgresql,
  "16.14.0-beta.17",
  combinations.middle!.postgresql,
  combinations.newest!.postgresql,
];
const GUIDE = fileURLToPath(new URL("../../../docs/operations/install.md", import.meta.url));
const PASSWORD = "a password of a test";

/** Runs the guide's statements for databases as an administrator without superuser, as on managed services. */
export async function administrators(say: Say): Promise<Report> {
  const guide = await readFile(GUIDE, "utf8");
  const scripts = databaseStatements(guide).map((parts) => parts.map((part) => part.replaceAll("…", PASSWORD)));
  const failed: string[] = [];
  for (const version of VERSIONS) {
    const reason = await withFolder((folder, ends) => runGuide(scripts, version, join(folder, "postgres"), ends)).catch(
      (error) => String(error),
    );
    say(`PostgreSQL ${version}: ${reason ?? "done"}`);
    if (reason) failed.push(`PostgreSQL ${version}: ${reason}`);
  }
  return reportOf({ versions: VERSIONS }, [[failed.length === 0, failed.join("; ")]]);
}

/** One role, which migrates, and is split later; on another database, two roles from the beginning. */
async function runGuide(scripts: string[][], version: string, dataDir: string, ends: (() => unknown)[]): Promise<void> {
  const [oneRole, twoRoles, split] = scripts;
  const programs = await getPostgres(version);
  const server = await startEmbeddedPostgres({ dataDir, programs, settings: TEST_SETTINGS });
  ends.push(() => server.stop());
  const run = (url: string, text = "") =>
    withServer(url, async (client) => {
      for (const statement of text.split(/;$/m)) await client.query(statement);
    });
  await run(server.url("postgres"), `CREATE ROLE administrator LOGIN CREATEDB CREATEROLE PASSWORD '${PASSWORD}'`);
  const asAdministrator = (database: string) => server.url(database, "administrator", PASSWORD);
  const directory = migrationFolders.records;
  await run(asAdministrator("postgres"), oneRole?.[0]);
  await migrate({ url: server.url("records", "records", PASSWORD), directory });
  await run(asAdministrator("postgres"), split?.[0]);
  await run(asAdministrator("records"), split?.[1]);
  const other = (text = "") => text.replaceAll("records", "other");
  await run(asAdministrator("postgres"), other(twoRoles?.[0]));
  await run(server.url("other", "other_migrations", PASSWORD), other(twoRoles?.[1]));
  await migrate({ url: server.url("other", "other_migrations", PASSWORD), directory });
}
