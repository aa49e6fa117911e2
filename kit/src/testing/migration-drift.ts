import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../postgres/migrate.js";
import { NOTHING_EXTERNAL, withSchemaEngine } from "./schema-engine.js";

/** Returns the SQL that is missing between the migrations and `schema.prisma`, or "". `url` names an empty database to work in. */
export async function migrationDrift(options: { url: string; directory: string }): Promise<string> {
  await migrate(options);
  const path = join(options.directory, "schema.prisma");
  const files = [{ path, content: await readFile(path, "utf8") }];
  const { exitCode, stdout } = await withSchemaEngine(options.url, (engine) =>
    engine.diff({
      from: { tag: "schemaDatasource", configDir: options.directory, files },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: true,
      filters: NOTHING_EXTERNAL,
    }),
  );
  return exitCode === DIFFERENT ? (stdout ?? "") : "";
}

const DIFFERENT = 2;

/**
 * Writes a part's next migration: the SQL that its migrations lack of its `schema.prisma`. `url` names an empty database to work in.
 * Returns the new file's path, or undefined if they are complete. SQL that Prisma's language cannot express is then added by hand.
 */
export async function writeMigration(options: {
  directory: string;
  name: string;
  url: string;
  now: Date;
  /** The release in which the migration will come. */
  release: string;
}): Promise<string | undefined> {
  const script = await migrationDrift(options);
  if (!script) return undefined;
  const folder = join(
    options.directory,
    "migrations",
    `${timestamp(options.now)}_${options.name.replaceAll("-", "_")}`,
  );
  await mkdir(folder, { recursive: true });
  const file = join(folder, "migration.sql");
  await writeFile(file, `-- release: ${options.release}\n${script}`, { flag: "wx" });
  return file;
}

/** Migrations run in the order of their names. */
function timestamp(now: Date): string {
  return now.toISOString().replace(/\D/g, "").slice(0, 14);
}
