import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sharedFolder } from "@shipping/local/servers/installation-paths";
import { type ServerProcess, startServerProcess } from "@shipping/local/servers/server-process";
import { freePort } from "../../platform/free-port.js";

/** PgBouncer in transaction mode, before a PostgreSQL on 127.0.0.1. */
export interface PgBouncer extends ServerProcess {
  port: number;
  /** The configuration is kept, so that it can restart at the same port. */
  startAgain(): Promise<PgBouncer>;
}

const run = promisify(execFile);
const NOBODY = 65_534;
// PgBouncer refuses to run as root.
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;

/** Starts Debian's PgBouncer. `users` have the passwords with which it signs in to PostgreSQL, too. */
export async function startPgBouncer(options: {
  postgresPort: number;
  users: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
  /** The path of PgBouncer if it is installed. */
  installed?: string;
}): Promise<PgBouncer> {
  const { program, libraries } = await findPgBouncer(options.installed ?? "/usr/sbin/pgbouncer");
  const folder = await mkdtemp(join(tmpdir(), "shipping-pgbouncer-"));
  const port = await freePort();
  const [ini, users] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "scram-sha-256",
    auth_file: users,
    pool_mode: "transaction",
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const database = `* = host=127.0.0.1 port=${options.postgresPort}`;
  await writeFile(ini, ["[databases]", database, "[pgbouncer]", ...lines].join("\n"));
  await writeFile(
    users,
    Object.entries(options.users).map(([user, password]) => `"${user}" "${password}"\n`),
  );
  for (const path of [folder, ini, users]) await chown(path, NOBODY, NOBODY).catch(() => {});
  await chmod(folder, 0o755);
  const start = async (): Promise<PgBouncer> => {
    const server = await startServerProcess({
      program,
      args: [ini],
      options: { ...user, env: { LD_LIBRARY_PATH: libraries } },
      ready: "process up",
      signals: { stop: "SIGTERM", force: "SIGKILL" },
    });
    return { ...server, port, startAgain: start };
  };
  return start();
}

/** The installed one, or else Debian's package, unpacked where its user can read it. */
async function findPgBouncer(installed: string): Promise<{ program: string; libraries: string }> {
  if (await exists(installed)) return { program: installed, libraries: "" };
  const shared = await sharedFolder(user);
  const kept = join(shared, "pgbouncer");
  if (!(await exists(kept))) await download(shared, kept);
  const [architecture = ""] = await readdir(join(kept, "usr/lib"));
  return { program: join(kept, "usr/sbin/pgbouncer"), libraries: join(kept, "usr/lib", architecture) };
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Renamed into place when complete, so that another process never sees a part of it. */
async function download(shared: string, kept: string): Promise<void> {
  const folder = await mkdtemp(join(shared, "fetching-"));
  const options = { cwd: folder, timeout: 120_000 };
  try {
    await run("apt-get", ["-qq", "download", "pgbouncer", "libevent-2.1-7", "libc-ares2"], options);
    for (const archive of (await readdir(folder)).filter((name) => name.endsWith(".deb")))
      await run("dpkg", ["-x", archive, "unpacked"], options);
    await chmod(join(folder, "unpacked"), 0o755);
    // Another process may have been first.
    await rename(join(folder, "unpacked"), kept).catch(async (error) => {
      if (!(await exists(kept))) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
