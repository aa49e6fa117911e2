import http2 from "node:http2";
import https from "node:https";
import type { Server, TLSSocket } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import { Health } from "@shipping/proto/grpc/health/v1/health_pb";
import type { PartName } from "@shipping/proto/parts";
import { type Log, onceAMinute } from "../process/log.js";
import type { Tls } from "./tls.js";

/** A connection that has not authenticated after this time is closed. */
const HANDSHAKE_MS = 5_000;

/** Creates a server that answers only clients with a certificate of our authority; `refused` is called for all others. */
export function createSecureServer(options: {
  tls: Tls;
  handler: ReturnType<typeof connectNodeAdapter>;
  session: http2.ServerOptions;
  log: Log;
  refused(): void;
}): http2.Http2SecureServer {
  const { tls, handler, session, log, refused } = options;
  const server = http2.createSecureServer({ ...session, ...tls.options(), ...ASKED }, handler);
  watchHandshakes(server, { tls, log, refused });
  return server;
}

/** Who may connect to a port for HTTP/1.1: the parts in `peers`. `refused` is called for all others. */
export interface SecureHttp {
  tls: Tls;
  peers: readonly string[];
  refused(why: "certificate" | "method"): void;
}

/** Creates a server for HTTP/1.1 that answers only the parts that its options name, which their certificates identify. */
export function createSecureHttpServer(options: https.ServerOptions, secure: SecureHttp, log: Log): https.Server {
  const { tls, peers, refused } = secure;
  const server = https.createServer({ ...options, ...tls.options(), ...ASKED });
  watchHandshakes(server, { tls, log, refused: () => refused("certificate") });
  const shouldLog = onceAMinute();
  server.prependListener("secureConnection", (socket) => {
    const peer = tls.partIn(socket.getPeerCertificate().subjectaltname);
    if (peer !== undefined && peers.includes(peer)) return;
    refused("method");
    if (shouldLog("peer"))
      log.warn({ peer, from: socket.remoteAddress }, "connection of a part that may not call this port refused");
    socket.destroy();
  });
  return server;
}

const ASKED = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: HANDSHAKE_MS };

/** Uses each renewed certificate, and reports the connections of clients without a certificate of our authority. */
function watchHandshakes(server: Server, { tls, log, refused }: { tls: Tls; log: Log; refused(): void }): void {
  tls.onRenewal(() => server.setSecureContext(tls.options()));
  const shouldLog = onceAMinute();
  server.on("tlsClientError", (error, { remoteAddress }) => {
    refused();
    // Unauthenticated clients may connect as often as they like, and must not fill the log.
    if (shouldLog("refused"))
      log.warn({ reason: error.message, from: remoteAddress }, "connection without a valid certificate refused");
  });
}

/** Returns the part of our platform at the other end of a request's connection; its certificate is read once. */
export function peerLookup(tls: Tls): (request: http2.Http2ServerRequest) => string | undefined {
  const known = new WeakMap<http2.Http2Session, string | undefined>();
  return ({ stream: { session } }) => {
    // There is no certificate if the connection has ended meanwhile.
    if (!session) return undefined;
    if (!known.has(session)) {
      known.set(session, tls.partIn((session.socket as TLSSocket).getPeerCertificate().subjectaltname));
    }
    return known.get(session);
  };
}

/**
 * The methods of a service that each part may call, by the name in its certificate. Other parts may not call any. Parts that may call a
 * method may also check the health of the service.
 */
export type Peers = Readonly<Partial<Record<PartName | "operator", readonly DescMethod[]>>>;

/** Returns the part that a call comes from, by its certificate. */
export const peerKey = createContextKey<string | undefined>(undefined, { description: "calling part" });

/** Admits the calls in the table. `refused` is called for every other call. */
export function admitPeers(peers: Peers, refused: () => void): Interceptor {
  const admitted = new Map(
    Object.entries(peers).map(([peer, methods]) => [peer, new Set([...methods, ...Health.methods])]),
  );
  return (next) => (request) => {
    const peer = request.contextValues.get(peerKey);
    if (peer !== undefined && admitted.get(peer)?.has(request.method)) return next(request);
    refused();
    const { name, parent } = request.method;
    const who = peer ?? "A certificate that names no part of this platform";
    throw new ConnectError(`${who} may not call ${parent.typeName}/${name}.`, Code.PermissionDenied);
  };
}
