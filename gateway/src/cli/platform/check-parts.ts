import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { connect as connectTls, TLSSocket } from "node:tls";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { type Database, openDatabase } from "@shipping/kit/postgres/database";
import { unappliedMigrations } from "@shipping/kit/postgres/migrate";
import { requireSession } from "@shipping/kit/postgres/session";
import type { Log } from "@shipping/kit/process/log";
import { requirePostgres, requireVersion } from "@shipping/kit/process/supported-versions";
import { ANSWER_MS, check, type Finding } from "@shipping/kit/service/finding";
import { type Encryption, encryptionOf } from "@shipping/kit/tls/encryption";
import { bareHost, connectSecurely } from "@shipping/kit/tls/tls";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@shipping/proto/grpc/health/v1/health_pb";
import sql from "sql-template-tag";
import { gatewayMigrations } from "../../database/deps.js";
import type { Part, Platform } from "./find-platform.js";

/** The timeout for a database connection. A request waits less, because an early refusal is better for it. */
export const CONNECT_MS = 5_000;

const PROCESS_ADVICE = "Check that the process is running and that the address is correct.";

/** Checks whether a service answers grpc.health.v1 over gRPC, as Kubernetes does. */
export function checkService(part: string, url: string, tls: Platform["tls"]): Promise<Finding> {
  return check(`${part} service`, { at: url, advice: PROCESS_ADVICE }, async () => {
    const { status, encryption } = await readHealth(url, tls);
    if (status === ServingStatus.SERVING) return { ok: true, says: `serving at ${url}`, encryption };
    const says = `${ServingStatus[status]} at ${url}`;
    return { ok: false, says, advice: "It is starting or stopping. Check its log." };
  });
}

async function readHealth(url: string, tls: Platform["tls"]) {
  const { hostname, port } = new URL(url);
  const baseUrl = `${tls ? "https" : "http"}://${hostname}:${port || (tls ? 443 : 80)}`;
  let socket: Socket | undefined;
  const createConnection = (at: URL) => {
    socket = tls ? connectSecurely(tls, at, bareHost(at)) : connect(Number(at.port || 80), bareHost(at));
    return socket;
  };
  const sessionManager = new Http2SessionManager(baseUrl, undefined, { createConnection });
  const client = createClient(Health, createGrpcTransport({ baseUrl, sessionManager }));
  try {
    const { status } = await client.check({}, { timeoutMs: ANSWER_MS });
    return { status, encryption: encryptionOf(socket) };
  } finally {
    sessionManager.abort();
  }
}

export function checkApi(url: string): Promise<Finding> {
  return check("public API", { at: url, advice: PROCESS_ADVICE }, async () => {
    const response = await fetch(new URL("/api/v1/openapi.json", url), { signal: AbortSignal.timeout(ANSWER_MS) });
    await response.arrayBuffer();
    if (response.ok) return { ok: true, says: `answering at ${url}` };
    return { ok: false, says: `${response.status} at ${url}`, advice: "Another program may be using this port." };
  });
}

/** Checks whether NATS answers. It sends its version to every client that connects, before authentication. */
export function checkBus(url: string, ca: string | undefined): Promise<Finding> {
  const advice = "Check that NATS is running and that the address is correct.";
  return check("event bus", { at: url, advice }, async () => {
    const { version, encryption } = await greetNats(url, ca);
    requireVersion("nats-server", version);
    if (!encryption.encrypted && (ca !== undefined || url.startsWith("tls:"))) {
      const says = `answering at ${url}, but without TLS, which tls:// and NATS_CA_FILE require`;
      return { ok: false, says, advice: "Set up TLS in the server. The parts do not connect without it.", encryption };
    }
    return { ok: true, says: `answering at ${url}, nats-server ${version}`, encryption };
  });
}

const NATS_PORT = 4222;
const MAX_GREETING_CHARACTERS = 65_536;

// A server with `handshake_first` closes a connection that does not begin TLS, by default after two seconds.
const GREETING_MS = 1_500;

/** Reads the greeting of NATS. Like the parts, it switches to TLS if the server can. */
async function greetNats(url: string, ca: string | undefined): Promise<{ version: string; encryption: Encryption }> {
  const { hostname, port } = new URL(url);
  const at = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || NATS_PORT) };
  // A certificate that is not verified is only reported, because no data is sent over this connection.
  const secure = {
    servername: isIP(at.host) ? "" : at.host,
    rejectUnauthorized: false,
    ...(ca !== undefined && { ca }),
  };
  let socket = quiet(connect(at));
  try {
    let greeting = await readGreeting(socket, GREETING_MS).catch((error) => {
      if (error.name === "AbortError") return "";
      throw error;
    });
    if (greeting === "") {
      socket.destroy();
      socket = quiet(connectTls({ ...at, ...secure }));
      greeting = await readGreeting(socket, ANSWER_MS);
    }
    const info = readInfo(greeting);
    if (!(socket instanceof TLSSocket) && (info.tls_required || info.tls_available)) {
      socket = quiet(connectTls({ ...at, socket, ...secure }));
      await once(socket, "secureConnect", { signal: AbortSignal.timeout(ANSWER_MS) });
    }
    return { version: String(info.version), encryption: encryptionOf(socket) };
  } finally {
    socket.destroy();
  }
}

// After the greeting, errors of the socket are ignored.
const quiet = <S extends Socket>(socket: S): S => socket.on("error", () => {});

function readInfo(greeting: string): { version?: unknown; tls_required?: boolean; tls_available?: boolean } {
  const [, info] = /^INFO (\{.*\})\s/.exec(greeting) ?? [];
  if (!info) throw new Error("the server at this URL is not NATS");
  return JSON.parse(info);
}

async function readGreeting(socket: Socket, withinMs: number): Promise<string> {
  let greeting = "";
  const chunks = addAbortSignal(AbortSignal.timeout(withinMs), socket).iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    greeting += chunk;
    if (greeting.includes("\n") || greeting.length > MAX_GREETING_CHARACTERS) break;
  }
  return greeting;
}

/** Checks whether a part's database is reachable and migrated. */
export function checkDatabase(part: Part, url: string, log: Log): Promise<Finding> {
  const advice = "Check that PostgreSQL is running and that the address, role and password are correct.";
  return check(`${part} database`, { advice }, async () => {
    const db = openDatabase(url, { max: 1, connectMs: CONNECT_MS, log });
    try {
      const version = await requirePostgres(db.pool);
      await requireSession(db.pool);
      const encryption = await readEncryption(db);
      const { applied, missing } = await readMigrations(part, db);
      if (applied > 0 && missing.length === 0)
        return { ok: true, says: `reachable and migrated, on PostgreSQL ${version}`, encryption };
      return {
        ok: false,
        encryption,
        says: missing.length > 0 ? `reachable, but not migrated: ${missing.join(", ")}` : "reachable, but empty",
        advice: `Apply the migrations with npm start or with the migration job of ${part}.`,
      };
    } finally {
      await db.close();
    }
  });
}

// The encryption is read from the socket, because pg_stat_ssl describes the connection of a pooler if there is one.
async function readEncryption(db: Database): Promise<Encryption> {
  const client = await db.pool.connect();
  try {
    return encryptionOf(client.connection.stream);
  } finally {
    client.release();
  }
}

// The gateway knows its own migrations by name. For other parts, a migration counts as missing if it was started but not finished.
async function readMigrations(part: Part, db: Database): Promise<{ applied: number; missing: string[] }> {
  const [table] = await db.run<{ present: boolean }>(
    sql`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  if (!table?.present) return { applied: 0, missing: [] };
  const rows = await db.run<{ name: string; finished: boolean }>(sql`
    SELECT migration_name AS name, bool_or(finished_at IS NOT NULL) AS finished
    FROM _prisma_migrations WHERE rolled_back_at IS NULL GROUP BY 1`);
  const unfinished = rows.filter((row) => !row.finished).map((row) => row.name);
  const unapplied = part === "gateway" ? await unappliedMigrations(db, gatewayMigrations) : [];
  return { applied: rows.length - unfinished.length, missing: [...new Set([...unfinished, ...unapplied])] };
}
