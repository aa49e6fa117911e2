import http2 from "node:http2";
import type { TLSSocket } from "node:tls";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Log } from "../process/log.js";
import type { Tls } from "./tls.js";

/** A connection that has not authenticated after this time is closed. */
const HANDSHAKE_MS = 5_000;
/** Unauthenticated clients may try as often as they like, and must not fill the log. */
const TELL_MS = 60_000;

/** A server that answers only clients with a certificate of our authority; `refused` is called for all others. */
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
  let toldAt = Number.NEGATIVE_INFINITY;
  server.on("tlsClientError", (error, { remoteAddress }) => {
    refused();
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    log.warn({ reason: error.message, from: remoteAddress }, "connection without a valid certificate refused");
  });
  return server;
}

/** The part of our platform at the other end of a request's connection; its certificate is read once. */
export function peerLookup(tls: Tls): (request: http2.Http2ServerRequest) => string | undefined {
  const known = new WeakMap<http2.Http2Session, string | undefined>();
  return ({ stream: { session } }) => {
    // There is none if the connection has ended meanwhile.
    if (!session) return undefined;
    if (!known.has(session)) {
      known.set(session, tls.partIn((session.socket as TLSSocket).getPeerCertificate().subjectaltname));
    }
    return known.get(session);
  };
}
