import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "./database.js";

/** A test's own folder with migrations, and a database that has those with which the folder was created. */
export interface MigrationsFolder extends TestDatabase {
  directory: string;
  /** Writes a migration that the database does not have. */
  add(name: string, script: string): Promise<void>;
}

export async function migrationsFolder(applied: Readonly<Record<string, string>> = {}): Promise<MigrationsFolder> {
  const directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations"));
  async function add(name: string, script: string): Promise<void> {
    await mkdir(join(directory, "migrations", name), { recursive: true });
    await writeFile(join(directory, "migrations", name, "migration.sql"), script);
  }
  for (const [name, script] of Object.entries(applied)) await add(name, script);
  const database = await testDatabase({ directory });
  async function drop(): Promise<void> {
    await database.drop();
    await rm(directory, { recursive: true });
  }
  return { ...database, directory, add, drop };
}
