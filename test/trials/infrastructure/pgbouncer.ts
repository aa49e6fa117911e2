import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startServerProcess } from "@shipping/local/servers/server-process";
import { freePort } from "../../platform/free-port.js";

/** PgBouncer in transaction mode, before a PostgreSQL on 127.0.0.1. */
export interface PgBouncer extends ServerProcess {
  port: number;
  /** The configuration is kept, so that it can restart at the same port. */
  startAgain(): Promise<PgBouncer>;
}

const PROGRAM = "/usr/sbin/pgbouncer";
const NOBODY = 65_534;
// PgBouncer refuses to run as root.
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;

/** Starts Debian's PgBouncer. `users` have the passwords with which it signs in to PostgreSQL, too. */
export async function startPgBouncer(options: {
  postgresPort: number;
  users: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
}): Promise<PgBouncer> {
  if (!existsSync(PROGRAM)) throw new Error("PgBouncer is missing. Install it with: apt-get install pgbouncer");
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
      program: PROGRAM,
      args: [ini],
      options: { ...user, env: {} },
      ready: "process up",
      signals: { stop: "SIGTERM", force: "SIGKILL" },
    });
    return { ...server, port, startAgain: start };
  };
  return start();
}
