import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The folders of a checkout that no part needs when it runs. */
const LEFT_OUT = new Set([".git", "node_modules", "test", "tools", "client-python"]);

interface Planted {
  release: string;
  /** The migrations of records that the release adds, by their names. */
  migrations: Readonly<Record<string, string>>;
}

/** Copies a built checkout into a new folder, as a release that has other migrations of records, and otherwise the same code. */
export async function plantRelease(checkout: string, folder: string, { release, migrations }: Planted): Promise<void> {
  await mkdir(folder);
  for (const name of await readdir(checkout)) {
    if (!LEFT_OUT.has(name))
      await cp(join(checkout, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  }
  await linkPackages(join(checkout, "node_modules"), join(folder, "node_modules"));
  const manifest = JSON.parse(await readFile(join(folder, "kit/package.json"), "utf8"));
  await writeFile(join(folder, "kit/package.json"), JSON.stringify({ ...manifest, version: release }));
  for (const [name, script] of Object.entries(migrations)) {
    await mkdir(join(folder, "services/records/prisma/migrations", name));
    await writeFile(join(folder, "services/records/prisma/migrations", name, "migration.sql"), script);
  }
}

/** Links to installed packages. The links of workspaces lead to those of the new folder. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.name === "@shipping") await linkPackages(source, target);
    else await symlink(source, target);
  }
}

/** Runs the command `migrate` of a release on the database of records. Returns its exit status and its last line. */
export async function migrateWith(checkout: string, url: string): Promise<{ status: number; says: string }> {
  const cwd = join(checkout, "services/records");
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  const run = promisify(execFile)(process.execPath, [join(checkout, "kit/bin/migrate.js")], { cwd, env });
  const { code = 0, stdout } = await run.then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { code: number; stdout: string }) => error,
  );
  return { status: code, says: JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}").msg };
}
