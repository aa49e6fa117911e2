import http2 from "node:http2";
import type { TLSSocket } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import { Health } from "@shipping/proto/grpc/health/v1/health_pb";
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
  const asked = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: HANDSHAKE_MS };
  const server = http2.createSecureServer({ ...session, ...tls.options(), ...asked }, handler);
  tls.onRenewal(() => server.setSecureContext(tls.options()));
  const shouldLog = onceAMinute();
  server.on("tlsClientError", (error, { remoteAddress }) => {
    refused();
    // Unauthenticated clients may connect as often as they like, and must not fill the log.
    if (shouldLog("refused"))
      log.warn({ reason: error.message, from: remoteAddress }, "connection without a valid certificate refused");
  });
  return server;
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
export type Peers = Readonly<Record<string, readonly DescMethod[]>>;

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
