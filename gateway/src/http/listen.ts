import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/process/log";
import type { Express } from "express";
import { type Connections, createConnections, MAX_CONNECTIONS } from "./connections.js";
import { createConnectionRefusals, dropRest } from "./refuse-connection.js";

export interface HttpServer {
  port: number;
  /** Answers requests under way, and new ones on open connections, then closes these: within 13 s, `fast` within 3 s. */
  stop(fast?: boolean): Promise<void>;
}

/** When a server that stops closes connections: idle ones, those whose request is incomplete, all. */
const STOP_MS = { idle: 2_000, incomplete: 5_000, all: 13_000 };
const FAST_STOP_MS = { idle: 0, incomplete: 1_000, all: 3_000 };

/**
 * Serves plain HTTP/1.1. A request that has not arrived after `arrivalMs` (30 s) loses its connection, and so does an answer
 * whose client reads nothing for `stallMs` (30 s).
 */
export async function listen(options: {
  handler: RequestListener;
  /** The request and response prototypes; Node's own unless given. */
  prototypes?: MessagePrototypes;
  port: number;
  host?: string;
  log: Log;
  random: Random;
  arrivalMs?: number | undefined;
  stallMs?: number | undefined;
  connections?: Connections;
}): Promise<HttpServer> {
  const server = createHttpServer(options.arrivalMs ?? 30_000, options.prototypes);
  // Counts what the kernel takes of a large write, too.
  server.setTimeout(options.stallMs ?? 30_000);
  const refusals = createConnectionRefusals(options);
  const { connections = createConnections(MAX_CONNECTIONS) } = options;
  let stopping = false;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // The connection ended after the previous answer: a request that cannot be answered is not executed.
    if (!socket.writable) return;
    connections.begin(request, response);
    if (stopping) response.setHeader("Connection", "close");
    response.once("finish", () => {
      if (!request.complete) closeAfter(request, dropRest(socket));
    });
    options.handler(request, response);
  }

  const malformed = (error: Error, socket: Socket) => refusals.malformed(error, socket, connections.latest(socket));

  server.on("connection", (socket) => {
    const closeNow = socket.destroySoon.bind(socket);
    // How http closes a connection behind its last answer: over unread bytes, unless the request is whole.
    socket.destroySoon = () => (connections.latest(socket)?.req.complete ? closeNow() : void socket.end());
    connections.add(socket);
  });
  server.on("request", take);
  // Node would answer 100 Continue before the body is wanted, and other expectations without our error object.
  server.on("checkContinue", take);
  server.on("checkExpectation", take);
  // Node says `Duplex` for what could be a proxy's tunnel. Here it is a connection.
  server.on("connect", (_request, socket) => refusals.connect(socket as Socket));
  server.on("clientError", (error, socket) => malformed(error, socket as Socket));

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

/** Once an answered request has arrived completely, its connection is reused for the next one, or closed if that was announced. */
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
    // Load balancers close an idle connection after a minute: they have to be first, so that no request hits a closed one.
    keepAliveTimeout: 65_000,
    // `httpFault` refuses instead: Node's own answer would lack our error object.
    requireHostHeader: false,
  });
  return Object.assign(server, {
    // A client may say that it has sent everything before it has its answer. (Node has the switch, its types do not.)
    httpAllowHalfOpen: true,
    // Node would drop all headers after the first thousand, perhaps the key: `httpFault` counts them.
    maxHeadersCount: 0,
  });
}

async function closeConnections(server: Server, connections: Connections, limits: typeof STOP_MS): Promise<void> {
  function closeIdle(): void {
    server.closeIdleConnections();
    // Node takes a connection for busy before its first byte.
    for (const [socket] of connections) if (socket.bytesRead === 0) socket.destroy();
  }

  function closeIncomplete(): void {
    for (const [socket, response] of connections) {
      if (!response?.req.complete || response.writableFinished) socket.destroy();
    }
  }

  const timers = [
    setTimeout(closeIdle, limits.idle),
    setTimeout(closeIncomplete, limits.incomplete),
    setTimeout(() => server.closeAllConnections(), limits.all),
  ];
  // Accepts no more. http's own `close` would end idle connections at once, although requests may be on their way.
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  for (const timer of timers) clearTimeout(timer);
  server.close();
}

/** The request and response prototypes of a server. */
export interface MessagePrototypes {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/**
 * Classes whose instances have the prototypes that an Express app gives every request and response. Otherwise it changes them one
 * by one, and V8 then misses its inline caches on every field: for a small answer, that took four fifths of the time.
 */
export function messagePrototypesOf(app: Express): MessagePrototypes {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
