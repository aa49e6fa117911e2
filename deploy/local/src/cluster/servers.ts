import { spawn } from "node:child_process";
import { appendFileSync, closeSync, openSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { type StopSignals, serverProcess } from "@shipping/local/servers/server-process";
import type { Server } from "@shipping/local/servers/supervise";
import type { BusAuthorization } from "../servers/bus-users.js";
import type { NatsProgram } from "../servers/find-nats-server.js";
import { type ClusterMember, startNatsServer } from "../servers/nats-server.js";
import type { PartProcess } from "./plan-processes.js";

/** Creates an empty folder for the logs of a cluster, one file for each process. */
export async function emptyLogs(folder: string): Promise<string> {
  const logs = join(folder, "logs");
  await rm(logs, { recursive: true, force: true });
  await mkdir(logs, { mode: 0o700 });
  return logs;
}

/** A PostgreSQL whose superuser's URL is known once it is ready. */
export interface PostgresServer extends Server {
  url(): string;
}

export interface PostgresPlace {
  folder: string;
  logs: string;
  port: number;
  maxConnections: number;
  sharedBuffersMb: number;
}

export function postgresServer(at: PostgresPlace): PostgresServer {
  let url = "";
  return {
    name: "postgres",
    address: `127.0.0.1:${at.port}`,
    async start(spawned) {
      const postgres = await startEmbeddedPostgres({
        dataDir: join(at.folder, "postgres"),
        port: at.port,
        settings: { max_connections: String(at.maxConnections), shared_buffers: `${at.sharedBuffersMb}MB` },
        log: intoFile(at.logs, "postgres"),
        spawned,
      });
      url = postgres.url("postgres");
    },
    url: () => url,
  };
}

/** Starts NATS on the data folder for its authorized users; a member of a cluster keeps its streams in a folder of its own. */
export function natsServer(at: {
  folder: string;
  logs: string;
  port: number;
  program: NatsProgram;
  authorization: BusAuthorization;
  member?: ClusterMember | undefined;
}): Server {
  const name = at.member?.name ?? "nats";
  return {
    name,
    address: `127.0.0.1:${at.port}`,
    start: (spawned) =>
      startNatsServer({ ...at, dataDir: join(at.folder, name), log: intoFile(at.logs, name), spawned }),
  };
}

function intoFile(logs: string, name: string): (line: string) => void {
  const file = join(logs, `${name}.log`);
  return (line) => {
    try {
      appendFileSync(file, `${line}\n`);
    } catch {
      // If the disk is full, the line is lost and the server continues.
    }
  };
}

const POLL_MS = 50;
const ANSWER_MS = 2_000;
const SLOW_MS = 10_000;

// A clean shutdown of a part may take this long; the cluster as a whole has 30 s.
const SIGNALS: StopSignals = { stop: "SIGTERM", fast: "SIGINT", force: "SIGKILL", patienceMs: 26_000 };

/**
 * A process of a part, which is ready when it says so, however long that takes. After `slowMs` (10 s), `say` is told what it waits for. If it ends
 * instead, the error says how it ended.
 */
export function partServer(
  planned: Pick<PartProcess, "name" | "address" | "main" | "env" | "opsUrl">,
  logs: string,
  say: (line: string) => void,
  slowMs = SLOW_MS,
): Server {
  const { name, address, main, env, opsUrl } = planned;
  return {
    name,
    address,
    async start(spawned) {
      // The process writes into the file itself, so that it does not fail if we are killed first. It is detached, so that Ctrl-C reaches
      // only us.
      const log = openSync(join(logs, `${name}.log`), "a");
      const child = spawn(process.execPath, [main], { env, detached: true, stdio: ["ignore", log, log] });
      closeSync(log);
      const failed = new Promise<never>((_, reject) => child.once("error", reject));
      const server = serverProcess(child, SIGNALS);
      if (child.pid !== undefined) spawned(server);
      const ended = server.exited.then((how) => {
        throw new Error(how);
      });
      const over = new AbortController();
      const slow = (missing: string) => say(`${name} is not ready yet: ${missing}. Its log: ${join(logs, name)}.log`);
      await Promise.race([untilReady(opsUrl, over.signal, { slow, slowMs }), ended, failed]).finally(() =>
        over.abort(),
      );
    },
  };
}

/** Resolves when the process is ready. After `slowMs`, `slow` is told what it waits for, and again each time this changes. */
async function untilReady(
  opsUrl: string,
  over: AbortSignal,
  { slow, slowMs }: { slow(missing: string): void; slowMs: number },
): Promise<void> {
  const slowAt = performance.now() + slowMs;
  let told: string | undefined;
  for (;;) {
    const missing = await missingAt(opsUrl);
    if (over.aborted || missing === undefined) return;
    if (missing !== told && performance.now() > slowAt) {
      told = missing;
      slow(missing);
    }
    await sleep(POLL_MS);
  }
}

/** Returns what a process says that it waits for, or undefined if it is ready. */
async function missingAt(opsUrl: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    return answer.ok ? undefined : text;
  } catch {
    return "it does not answer";
  }
}
