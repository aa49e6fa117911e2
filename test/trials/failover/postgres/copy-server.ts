import { chown, copyFile, mkdir, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findInstallationPaths, type PostgresUser } from "@shipping/local/servers/installation-paths";
import { withServer } from "./replication.js";

/** A running server: its superuser's URL, and the folder of its data. */
export interface RunningPostgres {
  url: string;
  dataDir: string;
}

// Files that a server makes anew, or that belong to the process that serves the original.
const LEFT_OUT = new Set(["postmaster.pid", "postmaster.opts", "postgresql.auto.conf", "pg_internal.init"]);
const LEFT_EMPTY = new Set(["pg_wal", "pg_replslot", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp"]);

/**
 * Copies a running server to the new folder `dataDir`: a base backup, as `pg_basebackup` makes it, which the embedded PostgreSQL does not include.
 * It starts once `follow` has configured the source of the log since the beginning of the copy.
 */
export async function copyServer(server: RunningPostgres, dataDir: string): Promise<void> {
  const { data, user } = await findInstallationPaths(dataDir);
  const unfinished = `${data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const label = await withServer(server.url, async (client) => {
    await client.query("SELECT pg_backup_start('copy', true)");
    await copyFolder(await realpath(server.dataDir), unfinished, user);
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    return rows[0].labelfile as string;
  });
  await writeOwned(join(unfinished, "backup_label"), label, user);
  await copyFile(`${server.dataDir}.password`, `${dataDir}.password`);
  await rename(unfinished, data);
}

/** Replaces the data in `dataDir` by a copy. The copy remains. */
export async function restoreCopy(copy: string, dataDir: string): Promise<void> {
  const { data, user } = await findInstallationPaths(dataDir);
  await rm(data, { recursive: true, force: true });
  await copyFolder(await realpath(copy), data, user);
}

/**
 * Configures a copy, before it starts, to catch up: as a standby, or as far as a recovery's settings say. They are in a file, because a command
 * line must not contain a password.
 */
export async function follow(
  dataDir: string,
  as: "standby" | "recovery",
  settings: Record<string, string>,
): Promise<void> {
  const { data, user } = await findInstallationPaths(dataDir);
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await writeOwned(join(data, "postgresql.auto.conf"), lines.join(""), user);
  await writeOwned(join(data, `${as}.signal`), "", user);
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

// A file may disappear while a server runs; its removal is in the log that the standby replays.
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
