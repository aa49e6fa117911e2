import "@shipping/kit/process/require-node";
import { chmod } from "node:fs/promises";
import { join, relative } from "node:path";
import { nextReleases, RELEASE } from "@shipping/kit/release";
import { writeMigration } from "@shipping/kit/testing/migration-drift";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { Argument, Command, InvalidArgumentError } from "commander";
import { examples } from "../option-values.js";
import { migrationFolders, type Part, parts } from "../parts.js";
import { temporaryFolder } from "../temporary-folder.js";

const [part, name] = new Command("npm run migrate:new --")
  .description("Write a migration that brings a part's database in line with its schema.prisma.")
  .addArgument(new Argument("<part>", "part whose database changes").choices(parts))
  .argument("<name>", "name of the change, such as add-thing", nameOfChange)
  .addHelpText("after", examples("npm run migrate:new -- records add-thing"))
  .parse().processedArgs as [Part, string];
const file = await write(part, name);
console.log(
  file ? `Wrote ${relative("", file)}.` : `No changes: the migrations of ${part} already match its schema.prisma.`,
);

async function write(part: Part, name: string): Promise<string | undefined> {
  const folder = await temporaryFolder("migrate-new-");
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
  try {
    return await writeMigration({
      directory: migrationFolders[part],
      name,
      url: postgres.url("postgres"),
      now: new Date(),
      release: nextReleases(RELEASE)[1],
    });
  } finally {
    await postgres.stop();
  }
}

function nameOfChange(text: string): string {
  if (/^[a-z][a-z0-9-]*$/.test(text)) return text;
  throw new InvalidArgumentError("Use lower-case letters, digits and hyphens.");
}
