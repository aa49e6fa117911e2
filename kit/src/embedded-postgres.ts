import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findPostgresHome, type PostgresHome } from "./postgres-home.js";
import { commandOf, isRunning, type ProcessIdentity, processIdentity } from "./process-identity.js";

/** A PostgreSQL server of our own. `pid` is the postmaster's. */
export interface EmbeddedPostgres {
  port: number;
  pid: number;
  /** Resolves when the server has ended, asked to or not. */
  exited: Promise<void>;
  /** The URL of one of its databases, for its superuser `postgres` unless another role is named. */
  url(database: string, user?: string, password?: string): string;
  /** Ends connections and the server; nothing that was committed is lost. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Holds the database; made if it is not there. The superuser's password is beside it, in `<dataDir>.password`. */
  dataDir: string;
  /** On 127.0.0.1; a free one if none is given. */
  port?: number;
  /** Gets the server's log. */
  log?: (line: string) => void;
  settings?: Record<string, string>;
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  timezone: "UTC",
  log_timezone: "UTC",
};

/**
 * Starts PostgreSQL from npm on a data folder. One that a killed process of ours left behind there is stopped first; one that
 * serves a living process is an error.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const home = await findPostgresHome(dataDir);
  const password = await superuserPassword(`${dataDir}.password`);
  await endPredecessor(home.data);
  await initialise(home, password);
  const { server, port } = await launch(home, options);
  const exited = new Promise<void>((done) => server.once("exit", () => done()));
  return {
    port,
    pid: server.pid as number,
    exited,
    url: (database, user = "postgres", secret = password) =>
      `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    stop: () => stop(server, exited),
  };
}

async function superuserPassword(path: string): Promise<string> {
  const flag = "wx";
  await writeFile(path, randomBytes(24).toString("base64url"), { mode: 0o600, flag }).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  return readFile(path, "utf8");
}

async function endPredecessor(data: string): Promise<void> {
  const lockFile = join(data, "postmaster.pid");
  const pid = Number.parseInt(await readFile(lockFile, "utf8").catch(() => ""), 10);
  const predecessor = Number.isNaN(pid) ? undefined : processIdentity(pid);
  const command = predecessor ? commandOf(predecessor.pid) : "";
  if (!predecessor || !command.includes(` ${data} `)) {
    // PostgreSQL itself takes any process that has this pid by now for its predecessor, and would not start.
    await rm(lockFile, { force: true });
    return;
  }
  const owner = ownerIn(command);
  if (!owner || isRunning(owner)) {
    throw new Error(`PostgreSQL already runs on ${data}${owner ? ` for process ${owner.pid}` : ""}: stop that first.`);
  }
  process.kill(predecessor.pid, "SIGINT");
  while (isRunning(predecessor)) await sleep(20);
}

// On the server's command line as a setting of no effect: it is there as long as the server is, and never longer.
function ownerSetting(): string {
  const { pid, startedAt } = processIdentity(process.pid) as ProcessIdentity;
  return `shipping.owner=${pid}@${startedAt}`;
}

function ownerIn(command: string): ProcessIdentity | undefined {
  const found = / shipping\.owner=(\d+)@(\S+)/.exec(command);
  return found?.[1] && found[2] ? { pid: Number(found[1]), startedAt: found[2] } : undefined;
}

// Under another name until it is complete: initdb does not go on with what a killed one has left.
async function initialise(home: PostgresHome, password: string): Promise<void> {
  if (await stat(home.data).catch(() => undefined)) return;
  const unfinished = `${home.data}.unfinished`;
  const passwordFile = `${unfinished}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (home.user) {
    for (const path of [unfinished, passwordFile]) await chown(path, home.user.uid, home.user.gid);
  }
  const options = [
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
  ];
  await promisify(execFile)(join(home.bin, "initdb"), ["-D", unfinished, ...options], {
    ...home.user,
    ...surroundings(home),
  });
  await rm(passwordFile);
  await rename(unfinished, home.data);
}

// The user may not be able to read our working directory; `C` keeps the log in English, which `listening` reads.
function surroundings(home: PostgresHome) {
  return { cwd: home.bin, env: { LC_ALL: "C" } };
}

// What a server that was just killed held is given back within moments; a free port may be taken by someone faster.
const PASSING = /could not bind|still in use|could not create any TCP/;

async function launch(
  home: PostgresHome,
  options: EmbeddedPostgresOptions,
): Promise<{ server: ChildProcess; port: number }> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const port = options.port ?? (await freePort());
    const settings = Object.entries({ ...SETTINGS, port, ...options.settings }).map(
      ([name, value]) => `${name}=${value}`,
    );
    // Detached, so that Ctrl-C in a terminal reaches us alone: we still need the database while we stop.
    const server = spawn(
      join(home.bin, "postgres"),
      ["-D", home.data, ...[...settings, ownerSetting()].flatMap((setting) => ["-c", setting])],
      {
        ...home.user,
        ...surroundings(home),
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const problem = await listening(server, options.log);
    if (!problem) return { server, port };
    if (!PASSING.test(problem) || performance.now() > deadline) throw new Error(`PostgreSQL did not start: ${problem}`);
    await sleep(100);
  }
}

/** Waits until the server takes connections, however long its recovery needs. Yields its complaint if it ends instead. */
function listening(server: ChildProcess, log: EmbeddedPostgresOptions["log"]): Promise<string | undefined> {
  return new Promise((done, failed) => {
    const complaints: string[] = [];
    createInterface({ input: server.stderr as NodeJS.ReadableStream }).on("line", (line) => {
      log?.(line);
      if (line.includes("database system is ready to accept connections")) done(undefined);
      else if (complaints.length < 20) complaints.push(line);
    });
    server.once("error", failed);
    server.once("close", () => done(complaints.join(" | ") || "it ended without a word."));
  });
}

async function stop(server: ChildProcess, exited: Promise<void>): Promise<void> {
  server.kill("SIGINT");
  // An orderly end takes well under a second; after an immediate one the next start replays the log.
  const impatience = setTimeout(() => server.kill("SIGQUIT"), 10_000);
  await exited;
  clearTimeout(impatience);
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}
