import { EventEmitter, once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import {
  type CallOptions,
  type ConnectRouter,
  type ContextValues,
  createConnectRouter,
  createContextValues,
  createRouterTransport,
  type HandlerContext,
  type Transport,
} from "@connectrpc/connect";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "@shipping/proto/grpc/health/v1/health_pb";
import { BatchService } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { type Log, onceAMinute } from "../process/log.js";
import type { Metrics } from "../process/metrics.js";
import { affordConnections } from "../process/open-files.js";
import { admitPeers, createSecureServer, type Peers, peerKey, peerLookup } from "../tls/secure-server.js";
import type { Tls } from "../tls/tls.js";
import { answerErrors, observeCalls, traceCalls } from "./interceptors.js";
import { admitToken } from "./local-token.js";
import { unaryMethods } from "./unary/methods.js";
import { MAX_BATCH_BYTES, MAX_MESSAGE_BYTES, MAX_REQUEST_BYTES } from "./unary/protocol.js";
import { answerUnary, batchCall } from "./unary/server.js";

/** Registers the handlers of a part's services. */
export type Routes = (router: ConnectRouter) => void;

// The memory in megabytes for the unsent answers to one client. Beyond it, Node refuses every further call of that client with
// ENHANCE_YOUR_CALM. Node's own limit of 10 equals ten pages at once: a gateway may ask for sixteen, and another account's read must get
// through beside them.
const SESSION = { maxSessionMemory: 64 };

/** The maximum number of connections to a part's port; a part opens one to each replica of another. */
const MAX_CONNECTIONS = 2_000;

const DRAIN_NOTICE_MS = 2_000;
const DRAIN_LIMIT_MS = 10_000;

export interface RpcServer {
  port: number;
  /** Reports NOT_SERVING, sends GOAWAY after a notice (2 s unless given), and ends when the calls in flight have ended, or 10 s later. */
  stop(noticeMs?: number): Promise<void>;
}

/**
 * Serves a part over HTTP/2: gRPC, gRPC-Web and Connect on one port, with grpc.health.v1. Calls are counted in `metrics`. With `tls`, it
 * answers only clients with a certificate of its authority, and each part may call only the methods that `peers` lists for it.
 */
export async function serve(options: {
  routes: Routes;
  port: number;
  host?: string;
  log: Log;
  metrics?: Metrics;
  tls?: Tls | undefined;
  peers?: Peers;
  /** Counts refused connections and calls. */
  refused?(why: "certificate" | "method"): void;
  /** The token that each call needs, on a port without TLS that other users of the machine can reach. */
  token?: string;
}): Promise<RpcServer> {
  const { log, metrics, tls, token, peers = {}, refused = () => {} } = options;
  const health = createHealth();
  const admitted = [
    ...(tls ? [admitPeers(peers, () => refused("method"))] : []),
    ...(token === undefined ? [] : [admitToken(token)]),
  ];
  const interceptors = [traceCalls, observeCalls(log, metrics), answerErrors, ...admitted];
  const peerOf = tls ? peerLookup(tls) : () => undefined;
  const contextValues = (request: http2.Http2ServerRequest) => createContextValues().set(peerKey, peerOf(request));
  const methods = unaryMethods(options.routes, interceptors);
  const router = createConnectRouter({
    interceptors,
    acceptCompression: [compressionGzip, compressionBrotli],
    readMaxBytes: MAX_REQUEST_BYTES,
    writeMaxBytes: MAX_MESSAGE_BYTES,
  });
  options.routes(router);
  // Each call inside the batch has its own interceptors.
  router.rpc(BatchService.method.call, batchCall(methods), { interceptors: [], readMaxBytes: MAX_BATCH_BYTES });
  router.rpc(health.check.method, health.check.handle);
  router.rpc(health.watch.method, health.watch.handle);
  const handler = answerUnary({ methods, contextValues, others: answerWith(router, contextValues) });
  const server = tls
    ? createSecureServer({ tls, handler, session: SESSION, log, refused: () => refused("certificate") })
    : http2.createServer(SESSION, handler);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", (err) => log.debug({ err }, "connection lost"));
  });
  server.maxConnections = affordConnections(MAX_CONNECTIONS, log);
  const shouldLog = onceAMinute();
  server.on("drop", (dropped) => {
    if (shouldLog("drop"))
      log.warn({ from: dropped?.remoteAddress, max: server.maxConnections }, "connection refused: too many are open");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });

  async function stop(noticeMs = DRAIN_NOTICE_MS): Promise<void> {
    health.stop();
    await pause(noticeMs);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const session of sessions) session.close();
    const limit = setTimeout(() => {
      for (const session of sessions) session.destroy();
    }, DRAIN_LIMIT_MS);
    await closed;
    clearTimeout(limit);
  }

  return { port: (server.address() as AddressInfo).port, stop };
}

/**
 * Replaces the library's adapter (connect-node 2.1.2), which would print to stderr for each client that goes away before it is answered.
 */
function answerWith({ handlers }: ConnectRouter, contextValues: (request: http2.Http2ServerRequest) => ContextValues) {
  const byPath = new Map(handlers.map((handler) => [handler.requestPath, handler]));
  return async (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse): Promise<void> => {
    const handler = byPath.get(request.url.split("?", 1)[0]!);
    if (!handler) return void response.writeHead(404).end();
    const call = universalRequestFromNodeRequest(request, response, undefined, contextValues(request));
    await universalResponseToNodeResponse(await handler(call), response);
  };
}

/** Calls the same handlers with the same interceptors inside this process. */
export function inProcess(routes: Routes, log: Log): Transport {
  return createRouterTransport(routes, { router: { interceptors: [traceCalls, observeCalls(log), answerErrors] } });
}

/** The context that a handler passes on to its own calls: the remaining time and the request ID. */
export type Call = ReturnType<typeof callContext>;

/** Reads deadline and request id from the context of a call. */
export function callContext(context: HandlerContext) {
  const requestId = context.requestHeader.get("x-request-id") ?? "";
  /** The milliseconds until the caller gives up; infinite if it set no deadline. */
  const timeLeftMs = () => context.timeoutMs() ?? Number.POSITIVE_INFINITY;
  return {
    requestId,
    timeLeftMs,
    /** Returns the options for a call to a neighbour: at most `maxMs`, and never more than the remaining time. */
    callOptions(maxMs = Number.POSITIVE_INFINITY): CallOptions {
      const timeoutMs = Math.max(1, Math.floor(Math.min(maxMs, timeLeftMs())));
      return { ...(Number.isFinite(timeoutMs) && { timeoutMs }), headers: { "x-request-id": requestId } };
    },
  };
}

/** The standard health service of one process. It serves until it is stopped, and notifies watchers at once. */
export function createHealth() {
  const changes = new EventEmitter().setMaxListeners(0);
  let status: Status = Status.SERVING;
  const answer = () => create(HealthCheckResponseSchema, { status });

  async function* watch(_: HealthCheckRequest, context: HandlerContext) {
    yield answer();
    if (status !== Status.SERVING) return;
    // The stream ends after the last status, so that an open watch never delays the stop.
    await once(changes, "stop", { signal: context.signal });
    yield answer();
  }

  return {
    check: { method: Health.method.check, handle: answer },
    watch: { method: Health.method.watch, handle: watch },
    /** Switches every further answer to NOT_SERVING. */
    stop(): void {
      status = Status.NOT_SERVING;
      changes.emit("stop");
    },
  };
}
