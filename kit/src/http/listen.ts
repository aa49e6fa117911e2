import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Express } from "express";
import type { Random } from "../ids.js";
import { type Log, onceAMinute } from "../process/log.js";
import { type Connections, createConnections, MAX_CONNECTIONS } from "./connections.js";
import { createConnectionRefusals, dropRest, STRICT_TRANSPORT } from "./refuse-connection.js";

export interface HttpServer {
  port: number;
  /** Stops listening, answers requests on open connections, and closes all connections within 13 s, or within 3 s if `fast`. */
  stop(fast?: boolean): Promise<void>;
}

/** When a stopping server closes idle connections, those with an incomplete request, and all. */
const STOP_MS = { idle: 2_000, incomplete: 5_000, all: 13_000 };
const FAST_STOP_MS = { idle: 0, incomplete: 1_000, all: 3_000 };

/**
 * Serves plain HTTP/1.1. These are the states of a connection, and what closes it:
 *
 *     opened ──> request arriving ──> response being written ──> idle ──> request arriving …
 *                 │                    │                          │
 *                 │ incomplete after   │ client reads nothing     │ no request
 *                 │ `arrivalMs`, 30 s  │ for `stallMs`, 30 s      │ for 65 s
 *                 ▼                    ▼                          ▼
 *                 closed               closed                     closed
 *
 * A response may end while its request is still arriving: `dropRest` then discards the rest, within limits. Input that is not HTTP is answered by
 * `createConnectionRefusals`. At any time, `connections` may close one to make room, and a stop closes all, in the order of `STOP_MS`.
 */
export async function listen(options: {
  handler: RequestListener;
  /** The classes of requests and responses; Node's own by default. */
  prototypes?: MessagePrototypes;
  port: number;
  host?: string;
  log: Log;
  random: Random;
  arrivalMs?: number | undefined;
  stallMs?: number | undefined;
  connections?: Connections;
  /** Whether every response tells browsers to use only https for this host from now on. */
  strictTransport?: boolean | undefined;
}): Promise<HttpServer> {
  const server = createHttpServer(options.arrivalMs ?? 30_000, options.prototypes);
  // Any progress of a large write resets this timeout.
  server.setTimeout(options.stallMs ?? 30_000);
  const refusals = createConnectionRefusals(options);
  const { strictTransport } = options;
  const { connections = createConnections(MAX_CONNECTIONS) } = options;
  const shouldLog = onceAMinute();
  let stopping = false;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // The connection ended after the previous response. A request that cannot be answered is not executed.
    if (!socket.writable) return;
    connections.begin(request, response);
    if (stopping) response.setHeader("Connection", "close");
    if (strictTransport) response.setHeader(...STRICT_TRANSPORT);
    response.once("finish", () => {
      if (!request.complete) closeAfter(request, dropRest(socket));
    });
    options.handler(request, response);
  }

  server.on("connection", (socket) => {
    const closeNow = socket.destroySoon.bind(socket);
    // Called by Node after the last response. With an incomplete request, its TCP reset could destroy the response.
    socket.destroySoon = () => (connections.latest(socket)?.req.complete ? closeNow() : void socket.end());
    const { closed } = connections.load();
    connections.add(socket);
    if (connections.load().closed > closed && shouldLog("full")) {
      options.log.warn({ connections: connections.load().open }, "connections are closed to make room for others");
    }
  });
  server.on("request", take);
  // Without these listeners, Node sends 100 Continue before the headers are accepted, and answers other expectations without our error object.
  server.on("checkContinue", take);
  server.on("checkExpectation", take);
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
      await closeConnections(server, connections, fast ? FAST_STOP_MS : STOP_MS);
    },
  };
}

/** Once an answered request has arrived completely, keeps its connection for the next one, or closes it if that was announced. */
function closeAfter(request: IncomingMessage, stopDropping: () => void): void {
  request.once("close", () => {
    stopDropping();
    if (request.socket.writableEnded) request.socket.destroySoon();
  });
}

function createHttpServer(arrivalMs: number, prototypes?: MessagePrototypes): Server {
  const server = createServer({
    ...prototypes,
    maxHeaderSize: 16 * 1024,
    requestTimeout: arrivalMs,
    headersTimeout: arrivalMs,
    connectionsCheckingInterval: Math.min(1_000, arrivalMs),
    // Longer than the minute after which load balancers close idle connections: if the gateway closed first, a request could arrive on a closed
    // connection.
    keepAliveTimeout: 65_000,
    // `httpFault` checks the Host header, because Node's own response lacks our error object.
    requireHostHeader: false,
  });
  return Object.assign(server, {
    // A client may send FIN before it has its response. (This option is missing from Node's types.)
    httpAllowHalfOpen: true,
    // By default, Node ignores all headers after the first thousand. `httpFault` counts them instead.
    maxHeadersCount: 0,
  });
}

async function closeConnections(server: Server, connections: Connections, limits: typeof STOP_MS): Promise<void> {
  function closeIdle(): void {
    server.closeIdleConnections();
    // Node regards a connection as busy until its first byte has arrived.
    for (const [socket] of connections) if (socket.bytesRead === 0) socket.destroy();
  }

  function closeIncomplete(): void {
    for (const [socket, response] of connections) {
      if (!response?.req.complete || response.writableFinished) socket.destroy();
    }
  }

  const timers = [
    // Timers alone would run before requests that have already arrived. With `setImmediate`, a busy process reads them first.
    setTimeout(() => setImmediate(closeIdle), limits.idle),
    setTimeout(closeIncomplete, limits.incomplete),
    setTimeout(() => server.closeAllConnections(), limits.all),
  ];
  // Stops accepting connections. http.Server's own `close` would also close idle ones at once, while requests may be in transit.
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  for (const timer of timers) clearTimeout(timer);
  server.close();
}

export interface MessagePrototypes {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/**
 * Creates classes whose instances already have the prototypes that Express sets on every request and response. Changing the prototype of an object
 * defeats V8's inline caches: for a small response, that took four fifths of the time. `written` is called whenever bytes of a response have been
 * written.
 */
export function createMessagePrototypes(app: Express, written: (response: ServerResponse) => void): MessagePrototypes {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {
    override write(...given: unknown[]): boolean {
      const hasRoom = super.write(...(given as [unknown]));
      written(this);
      return hasRoom;
    }

    override end(...given: unknown[]): this {
      super.end(...(given as [unknown]));
      written(this);
      return this;
    }
  }
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
