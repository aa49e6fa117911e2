import type { Http2Session } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@shipping/proto/grpc/health/v1/health_pb";
import { failureIn } from "../errors.js";
import type { Log } from "../process/log.js";
import { connectSecurely, type Tls } from "../tls/tls.js";
import { unaryOver } from "./unary/client.js";
import { MAX_MESSAGE_BYTES } from "./unary/protocol.js";

/**
 * The state of the connection to a replica. `ready`: calls go to it. `stopping`: it is stopping and still answers. `unreachable`: its port
 * is closed. `unresponsive`: it has not answered for one deadline.
 */
export type ConnectionState = "ready" | "stopping" | "unreachable" | "unresponsive";

/** One replica of a service, watched through its grpc.health.v1. */
export interface Replica extends Pick<Transport, "unary"> {
  state(): ConnectionState;
  /** Stops watching it. Running calls still finish. */
  retire(): void;
  /** Also ends running calls. */
  close(): void;
}

const REDIAL_MS = 250;
const HEALTH_ANSWER_MS = 2_000;
/** Calls are shorter than this, even an operator's, so a connection that was replaced this long ago carries none. */
export const MAX_CALL_MS = 60_000;

/**
 * Connect's session, whose errors end no process. Connect stops to listen for them once a session is being destroyed, but Node emits them only after
 * that: for example, if the port belongs to a server of HTTP/1.1.
 */
class ListenedSession extends Http2SessionManager {
  #listened: Http2Session | undefined;

  override async request(...call: Parameters<Http2SessionManager["request"]>) {
    const stream = await super.request(...call);
    if (stream.session !== this.#listened) {
      this.#listened = stream.session;
      // The streams report the error to their calls.
      this.#listened?.on("error", () => {});
    }
    return stream;
  }
}

/** A missed deadline that was shorter than this does not make the replica unresponsive. */
const MIN_UNRESPONSIVE_MS = 250;

/**
 * Connects to the replica at `baseUrl`, and reconnects whenever the connection is lost. It counts as ready until proved otherwise. With
 * `secured`, it must prove that it is `host`. Whenever its health says SERVING, `onServing` is called. Its health is asked for with `headers`.
 */
export function openReplica(
  baseUrl: string,
  log: Log,
  secured?: { tls: Pick<Tls, "options">; host: string },
  onServing = () => {},
  headers: Readonly<Record<string, string>> = {},
): Replica {
  const createConnection = secured && ((url: URL) => connectSecurely(secured.tls, url, secured.host));
  const closing = new AbortController();
  const sessions = new Set<Http2SessionManager>();
  let connection = connect();
  let current: ConnectionState = "ready";
  let answeredAt = 0;
  let endWatch = () => {};

  function connect() {
    // The client sends no pings, because a ping on a destroyed session ends the process (connect-es #1795).
    const session = new ListenedSession(baseUrl, undefined, createConnection ? { createConnection } : {});
    sessions.add(session);
    const options = { baseUrl, httpVersion: "2" as const, sessionManager: session, readMaxBytes: MAX_MESSAGE_BYTES };
    const transport = createConnectTransport(options);
    return { session, unary: unaryOver(session), health: createClient(Health, transport) };
  }

  function setState(state: ConnectionState): void {
    if (state !== current) log.info({ replica: baseUrl, state }, "replica connection state");
    current = state;
  }

  function abortAll(): void {
    for (const session of sessions) session.abort();
  }

  // Health is checked over a new connection, because the old one may be dead while both sides still consider it open.
  function markUnresponsive(): void {
    setState("unresponsive");
    const { session } = connection;
    setTimeout(() => {
      session.abort();
      sessions.delete(session);
    }, MAX_CALL_MS).unref();
    connection = connect();
    endWatch();
  }

  async function watch(): Promise<void> {
    const ended = new AbortController();
    endWatch = () => ended.abort();
    const signal = AbortSignal.any([ended.signal, closing.signal]);
    const patience = setTimeout(markUnresponsive, HEALTH_ANSWER_MS);
    try {
      for await (const { status } of connection.health.watch({}, { signal, headers })) {
        clearTimeout(patience);
        setState(status === Status.SERVING ? "ready" : "stopping");
        if (status === Status.SERVING) onServing();
      }
    } catch {
      if (!signal.aborted) setState("unreachable");
    } finally {
      clearTimeout(patience);
    }
  }

  async function keepWatching(): Promise<void> {
    while (!closing.signal.aborted) {
      await watch();
      await pause(REDIAL_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }
  void keepWatching();

  async function unary(...call: Parameters<Transport["unary"]>): ReturnType<Transport["unary"]> {
    const used = connection;
    const begun = performance.now();
    try {
      const answer = await used.unary(...call);
      answeredAt = performance.now();
      return answer;
    } catch (error) {
      if (failureIn(error)) answeredAt = performance.now();
      const isSilent = answeredAt < begun && performance.now() - begun >= MIN_UNRESPONSIVE_MS;
      const isLate = error instanceof ConnectError && error.code === Code.DeadlineExceeded;
      if (isLate && isSilent && used === connection) markUnresponsive();
      throw error;
    }
  }

  return {
    state: () => current,
    unary: unary as Transport["unary"],
    retire() {
      closing.abort();
      setTimeout(abortAll, MAX_CALL_MS).unref();
    },
    close() {
      closing.abort();
      abortAll();
    },
  };
}
