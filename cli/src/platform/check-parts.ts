import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { connect as connectTls, TLSSocket } from "node:tls";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { requireVersion } from "@shipping/kit/process/supported-versions";
import { tokenHeader } from "@shipping/kit/rpc/local-token";
import { ANSWER_MS, check, type Finding } from "@shipping/kit/service/finding";
import { type Encryption, encryptionOf } from "@shipping/kit/tls/encryption";
import { bareHost, connectSecurely } from "@shipping/kit/tls/tls";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@shipping/proto/grpc/health/v1/health_pb";
import type { Platform } from "./find-platform.js";

const PROCESS_ADVICE = "Check that the process is running and that the address is correct.";

/** Checks whether a service answers grpc.health.v1 over gRPC, as Kubernetes does. */
export function checkService(part: string, url: string, platform: Platform): Promise<Finding> {
  return check(`${part} service`, { at: url, advice: PROCESS_ADVICE }, async () => {
    const { status, encryption } = await readHealth(url, platform);
    if (status === ServingStatus.SERVING) return { ok: true, says: `serving at ${url}`, encryption };
    const says = `${ServingStatus[status]} at ${url}`;
    return { ok: false, says, advice: "It is starting or stopping. Check its log." };
  });
}

async function readHealth(url: string, { tls, token }: Platform) {
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
    const { status } = await client.check(
      {},
      { timeoutMs: ANSWER_MS, headers: token === undefined ? {} : tokenHeader(token) },
    );
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

/** Checks whether the proxy of deliveries accepts connections. */
export function checkEgressProxy(url: string): Promise<Finding> {
  const { protocol, host, port } = new URL(url);
  const isSecure = protocol === "https:";
  const advice = "Check EGRESS_PROXY_URL, and whether the proxy has a valid certificate for its name.";
  return check("egress proxy", { at: host, advice }, async () => {
    const hostname = bareHost(new URL(url));
    const to = { host: hostname, port: Number(port || (isSecure ? 443 : 80)) };
    const socket = isSecure ? connectTls({ ...to, servername: isIP(hostname) ? "" : hostname }) : connect(to);
    try {
      await once(socket, isSecure ? "secureConnect" : "connect", { signal: AbortSignal.timeout(ANSWER_MS) });
      return { ok: true, says: `accepting connections at ${host}`, encryption: encryptionOf(socket) };
    } finally {
      socket.destroy();
    }
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
  const { port } = new URL(url);
  const at = { host: bareHost(new URL(url)), port: Number(port || NATS_PORT) };
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
