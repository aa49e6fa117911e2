import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ServerProcess, startServerProcess } from "@shipping/local/servers/server-process";
import { freePort } from "../free-port.js";

/** PgBouncer in transaction mode, before a PostgreSQL on 127.0.0.1. */
export interface PgBouncer extends ServerProcess {
  port: number;
  /** Its configuration is kept, so that it can be started again where it was. */
  startAgain(): Promise<PgBouncer>;
}

const run = promisify(execFile);
const NOBODY = 65_534;

/** Starts Debian's PgBouncer. `users` have the passwords with which it signs in to PostgreSQL, too. */
export async function startPgBouncer(options: {
  postgresPort: number;
  users: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
}): Promise<PgBouncer> {
  const { program, libraries } = await findPgBouncer();
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
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
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

/** The one of the PATH; else Debian's package, in a cache folder. */
async function findPgBouncer(): Promise<{ program: string; libraries: string }> {
  const installed = "/usr/sbin/pgbouncer";
  if (await stat(installed).catch(() => undefined)) return { program: installed, libraries: "" };
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "shipping-platform");
  const kept = join(cache, "pgbouncer");
  if (!(await stat(kept).catch(() => undefined))) await download(cache, kept);
  const [architecture = ""] = await readdir(join(kept, "usr/lib"));
  return { program: join(kept, "usr/sbin/pgbouncer"), libraries: join(kept, "usr/lib", architecture) };
}

async function download(cache: string, kept: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "fetching-"));
  const options = { cwd: folder, timeout: 120_000 };
  try {
    await run("apt-get", ["-qq", "download", "pgbouncer", "libevent-2.1-7", "libc-ares2"], options);
    for (const archive of (await readdir(folder)).filter((name) => name.endsWith(".deb")))
      await run("dpkg", ["-x", archive, "unpacked"], options);
    await rename(join(folder, "unpacked"), kept);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
