import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";

/**
 * Writes a part's next migration: what its migrations lack of its `schema.prisma`. `url` names an empty database to work in. Yields the
 * new file's path, or undefined if nothing is missing. What Prisma's language cannot say is then added by hand.
 */
export async function writeMigration(options: {
  directory: string;
  name: string;
  url: string;
  now: Date;
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
  await writeFile(file, script, { flag: "wx" });
  return file;
}

/** Migrations run in the order of their names. */
function timestamp(now: Date): string {
  return now.toISOString().replace(/\D/g, "").slice(0, 14);
}
