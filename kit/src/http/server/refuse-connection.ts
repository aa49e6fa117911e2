import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Failure, fail } from "../../errors.js";
import { newId, type Random } from "../../ids.js";
import type { Log } from "../../process/log.js";
import { headersTooLarge } from "../http-rules.js";
import { errorBody, refuse, unknownRoute } from "../send-answer.js";

/** RFC 6797: for a year, browsers use only https for this host and its subdomains. */
export const STRICT_TRANSPORT = ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"] as const;

/** Answers input for which Node's HTTP parser emits no request. */
export function createConnectionRefusals(options: { log: Log; random: Random; strictTransport?: boolean | undefined }) {
  const { log, random, strictTransport } = options;
  const refused = new WeakSet<Socket>();

  /** Writes an error response to the socket and ends it. */
  function refuseOnSocket(socket: Socket, failure: Failure): void {
    const requestId = newId("req", random);
    const { status } = failure;
    log.info({ status, request_id: requestId, code: failure.code }, "request");
    if (!socket.writable) return void socket.destroy();
    const body = errorBody(failure, requestId);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Date: ${new Date().toUTCString()}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff",
      `X-Request-Id: ${requestId}`,
      ...(strictTransport ? [STRICT_TRANSPORT.join(": ")] : []),
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
    socket.resume();
    dropRest(socket);
  }

  return {
    /** Answers CONNECT, for which Node emits a separate event, as an unknown route. */
    connect(socket: Socket): void {
      refuseOnSocket(socket, unknownRoute());
    },

    /** Answers invalid HTTP. `latest` is the response to the request before it, or to the one that it is part of. */
    malformed(error: NodeJS.ErrnoException, socket: Socket, latest: ServerResponse | undefined): void {
      // Node also reports every further chunk on this connection.
      if (refused.has(socket)) return;
      refused.add(socket);
      if (error.code === "ECONNRESET" || error.code === "ERR_HTTP_REQUEST_TIMEOUT") return void socket.destroy();
      // The last response may still be in transit. `dropRest` reads the rest.
      if (!socket.writable) return;
      const failure = error.code === "HPE_HEADER_OVERFLOW" ? headersTooLarge() : fail("bad_request");
      const refuseNow = () => refuseOnSocket(socket, failure);
      if (!latest || (latest.writableFinished && latest.req.complete)) return void refuseNow();
      // The previous request was complete, so its response comes first.
      if (latest.req.complete) return void latest.once("close", refuseNow);
      // The request was already answered, and has only one response.
      if (latest.writableFinished) return void socket.end();
      if (latest.headersSent) return void socket.destroy();
      latest.setHeader("Connection", "close");
      refuse(latest, failure, String(latest.getHeader("X-Request-Id")));
    },
  };
}

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 2_000;
const POLL_MS = 20;

/**
 * Drops the rest of a request that was already answered. Closing a socket with unread bytes sends a TCP reset, which can destroy the response. After
 * too many bytes or too long, the socket is closed anyway. Returns a function that stops dropping.
 */
export function dropRest(socket: Socket): () => void {
  const read = socket.bytesRead;
  const started = performance.now();
  // Node's HTTP parser bypasses the socket's `data` events, so the number of bytes is polled.
  const timer = setInterval(() => {
    if (socket.bytesRead - read <= MAX_BYTES && performance.now() - started <= MAX_MS) return;
    stop();
    socket.destroy();
  }, POLL_MS);
  const stop = () => {
    clearInterval(timer);
    socket.off("close", stop);
  };
  socket.once("close", stop);
  return stop;
}
