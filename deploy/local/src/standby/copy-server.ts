import { chown, copyFile, mkdir, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findInstallationPaths, type PostgresUser } from "../servers/installation-paths.js";
import { withServer } from "./replication.js";

/** A running server: its superuser's URL, and the folder of its data. */
export interface RunningPostgres {
  url: string;
  dataDir: string;
}

// What a server makes anew, or what belongs to the process that serves the original.
const LEFT_OUT = new Set(["postmaster.pid", "postmaster.opts", "postgresql.auto.conf", "pg_internal.init"]);
const LEFT_EMPTY = new Set(["pg_wal", "pg_replslot", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp"]);

/**
 * Copies a running server to the new folder `dataDir`, where it starts as a standby. `pg_basebackup` does the same, but the embedded
 * PostgreSQL has none. The write-ahead log since the beginning of the copy has to come from the primary.
 */
export async function copyServer(primary: RunningPostgres, dataDir: string): Promise<void> {
  const { data, user } = await findInstallationPaths(dataDir);
  const unfinished = `${data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const label = await withServer(primary.url, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    await copyFolder(await realpath(primary.dataDir), unfinished, user);
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    return rows[0].labelfile as string;
  });
  await writeOwned(join(unfinished, "backup_label"), label, user);
  await writeOwned(join(unfinished, "standby.signal"), "", user);
  await copyFile(`${primary.dataDir}.password`, `${dataDir}.password`);
  await rename(unfinished, data);
}

/** Deletes a server's data; it does not run. */
export async function removeServer(dataDir: string): Promise<void> {
  const { data } = await findInstallationPaths(dataDir);
  await rm(data, { recursive: true, force: true });
}

/** Writes the settings that a server has beside its command line: in a file, because a command line is no place for a password. */
export async function writeSettings(dataDir: string, settings: Record<string, string>): Promise<void> {
  const { data, user } = await findInstallationPaths(dataDir);
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await writeOwned(join(data, "postgresql.auto.conf"), lines.join(""), user);
}

async function copyFolder(from: string, to: string, user: PostgresUser | undefined): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  await own(to, user);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (LEFT_OUT.has(entry.name)) continue;
    if (LEFT_EMPTY.has(entry.name)) {
      await mkdir(target, { mode: 0o700 });
      await own(target, user);
    } else if (entry.isDirectory()) await copyFolder(source, target, user);
    else await copyOwned(source, target, user);
  }
}

// A file can go while a server runs; its removal is in the log that the standby replays.
async function copyOwned(source: string, target: string, user: PostgresUser | undefined): Promise<void> {
  try {
    await copyFile(source, target);
    await own(target, user);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function writeOwned(path: string, text: string, user: PostgresUser | undefined): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await own(path, user);
}

async function own(path: string, user: PostgresUser | undefined): Promise<void> {
  if (user) await chown(path, user.uid, user.gid);
}
