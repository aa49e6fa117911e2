import { appendFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import type { Server } from "@shipping/local/servers/supervise";
import type { BusAuthorization } from "../servers/bus-users.js";
import type { NatsProgram } from "../servers/find-nats-server.js";
import { type ClusterMember, startNatsServer } from "../servers/nats-server.js";
import type { PartProcess } from "./plan-processes.js";
import { startPart } from "./start-part.js";

/** Where the logs of a cluster's processes are, one file each. Begins with none. */
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

/** Where a PostgreSQL of the cluster runs, and with how much. */
export interface PostgresPlace {
  /** The cluster's data folder. */
  folder: string;
  logs: string;
  port: number;
  maxConnections: number;
  sharedBuffersMb: number;
}

/** PostgreSQL on the data folder. */
export function postgresServer(at: PostgresPlace): PostgresServer {
  let url = "";
  const { maxConnections, sharedBuffersMb } = at;
  return {
    name: "postgres",
    address: `127.0.0.1:${at.port}`,
    async start(spawned) {
      const postgres = await startEmbeddedPostgres({
        dataDir: join(at.folder, "postgres"),
        port: at.port,
        settings: { max_connections: String(maxConnections), shared_buffers: `${sharedBuffersMb}MB` },
        log: intoFile(at.logs, "postgres"),
        spawned,
      });
      url = postgres.url("postgres");
    },
    url: () => url,
  };
}

/** NATS on the data folder, for its authorized users; a member of a cluster keeps its streams in a folder of its own. */
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
      startNatsServer({
        program: at.program,
        authorization: at.authorization,
        member: at.member,
        dataDir: join(at.folder, name),
        port: at.port,
        log: intoFile(at.logs, name),
        spawned,
      }),
  };
}

/** A process of a part. */
export function partServer(plan: PartProcess, logs: string): Server {
  const { name, address } = plan;
  return { name, address, start: (spawned) => startPart(plan, { logFile: join(logs, `${name}.log`), spawned }) };
}

function intoFile(logs: string, name: string): (line: string) => void {
  const file = join(logs, `${name}.log`);
  return (line) => {
    try {
      appendFileSync(file, `${line}\n`);
    } catch {
      // A full disk costs log lines, not servers.
    }
  };
}
