import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Random } from "../../ids.js";
import { type Log, onceAMinute } from "../../process/log.js";
import { createSecureHttpServer, type SecureHttp } from "../../tls/secure-server.js";
import { closeConnections } from "./close-connections.js";
import { type Connections, createConnections, MAX_CONNECTIONS } from "./connections.js";
import type { MessagePrototypes } from "./message-prototypes.js";
import { createConnectionRefusals, dropRest, STRICT_TRANSPORT } from "./refuse-connection.js";

export interface HttpServer {
  port: number;
  /** Stops listening, answers requests on open connections, and closes all connections within 13 s, or within 3 s if `fast`. */
  stop(fast?: boolean): Promise<void>;
}

export interface HttpOptions {
  handler: RequestListener;
  /** The classes of requests and responses; Node's own by default. */
  prototypes?: MessagePrototypes | undefined;
  port: number;
  host?: string | undefined;
  log: Log;
  random: Random;
  arrivalMs?: number | undefined;
  stallMs?: number | undefined;
  connections?: Connections;
  /** Whether every response tells browsers to use only https for this host from now on. */
  strictTransport?: boolean | undefined;
  /** Turns on mutual TLS: only these parts may connect. */
  secure?: SecureHttp | undefined;
}

/** How long a request may take to arrive. */
const ARRIVAL_MS = 30_000;
/** How long the client may read nothing of a response. */
const STALL_MS = 30_000;
/** Longer than the minute after which load balancers close idle connections: otherwise a request could arrive on a connection that was just closed. */
const IDLE_MS = 65_000;

/**
 * Serves HTTP/1.1. These are the states of a connection, and what closes it:
 *
 *     open                            begin                              finish
 *    ──────> request arriving ──────────────────> response being written ────────> idle ──> request arriving …
 *                   │                                       │                       │
 *                   │ ARRIVAL_MS                            │ STALL_MS              │ IDLE_MS
 *                   ▼                                       ▼                       ▼
 *                closed                                  closed                  closed
 *
 * A request begins with its last header. Its body may still be arriving while the response is written, and even after that: `finish` then drops the
 * rest, within limits. In any state, input that is not HTTP is answered by `createConnectionRefusals`, and `connections` may close a connection to make
 * room. A stopping server closes all, in the order of `closeConnections`.
 */
export async function listen(options: HttpOptions): Promise<HttpServer> {
  const { handler, log, strictTransport, secure, connections = createConnections(MAX_CONNECTIONS) } = options;
  const server = createHttpServer(options);
  const refusals = createConnectionRefusals(options);
  const shouldLog = onceAMinute();
  let stopping = false;

  function open(socket: Socket): void {
    const close = socket.destroySoon.bind(socket);
    // Node calls this after the last response. If the request is incomplete, closing would reset the connection, which could destroy the response.
    socket.destroySoon = () => (connections.latest(socket)?.req.complete ? close() : void socket.end());
    const { closed } = connections.load();
    connections.add(socket);
    if (connections.load().closed > closed && shouldLog("full")) {
      log.warn({ connections: connections.load().open }, "connections are closed to make room for others");
    }
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    // The connection ended after the previous response. A request that cannot be answered is not executed.
    if (!request.socket.writable) return;
    connections.begin(request, response);
    if (stopping) response.setHeader("Connection", "close");
    if (strictTransport) response.setHeader(...STRICT_TRANSPORT);
    response.once("finish", () => finish(request));
    handler(request, response);
  }

  server.on(secure ? "secureConnection" : "connection", open);
  server.on("request", begin);
  // Without these listeners, Node sends 100 Continue before the headers are accepted, and answers other expectations without our error object.
  server.on("checkContinue", begin);
  server.on("checkExpectation", begin);
  // The socket is typed as `Duplex`, but is always a `Socket` here.
  server.on("connect", (_request, socket) => refusals.connect(socket as Socket));
  server.on("clientError", (error, socket) =>
    refusals.malformed(error, socket as Socket, connections.latest(socket as Socket)),
  );

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    async stop(fast = false) {
      stopping = true;
      for (const [, response] of connections) {
        if (response && !response.headersSent) response.setHeader("Connection", "close");
      }
      await closeConnections(server, connections, fast);
    },
  };
}

/** After its response, drops the rest of a request. Then the connection is kept for the next one, or closed if that was announced. */
function finish(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const stopDropping = dropRest(socket);
  request.once("close", () => {
    stopDropping();
    if (socket.writableEnded) socket.destroySoon();
  });
}

function createHttpServer({ arrivalMs = ARRIVAL_MS, stallMs = STALL_MS, ...given }: HttpOptions): Server {
  const { prototypes, secure, log } = given;
  const options = {
    ...prototypes,
    maxHeaderSize: 16 * 1024,
    requestTimeout: arrivalMs,
    headersTimeout: arrivalMs,
    connectionsCheckingInterval: Math.min(1_000, arrivalMs),
    keepAliveTimeout: IDLE_MS,
    // `httpFault` checks the Host header, because Node's own response lacks our error object.
    requireHostHeader: false,
  };
  const server = secure ? createSecureHttpServer(options, secure, log) : createServer(options);
  // Any progress of a large write resets this timeout.
  server.setTimeout(stallMs);
  return Object.assign(server, {
    // A client may send FIN before it has its response. (This option is missing from Node's types.)
    httpAllowHalfOpen: true,
    // By default, Node ignores all headers after the first thousand. `httpFault` counts them instead.
    maxHeadersCount: 0,
  });
}
