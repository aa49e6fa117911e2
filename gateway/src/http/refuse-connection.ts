import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId, type Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/process/log";
import { headersTooLarge } from "./http-rules.js";
import { errorBody, refuse, unknownRoute } from "./send-answer.js";

/** Refusals of input that Node's HTTP parser does not emit as a request. */
export function createConnectionRefusals({ log, random }: { log: Log; random: Random }) {
  const refused = new WeakSet<Socket>();

  /** Answers on the bare connection and ends it. */
  function refuseBare(socket: Socket, failure: Failure): void {
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
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
    socket.resume();
    dropRest(socket);
  }

  return {
    /** Answers CONNECT, which Node does not treat as a request: an unknown route like any other. */
    connect(socket: Socket): void {
      refuseBare(socket, unknownRoute());
    },

    /** Answers bytes that are not HTTP. `latest` is the response to the request that came before them, or that they are part of. */
    malformed(error: NodeJS.ErrnoException, socket: Socket, latest: ServerResponse | undefined): void {
      // Every further byte on the connection is malformed too.
      if (refused.has(socket)) return;
      refused.add(socket);
      if (error.code === "ECONNRESET" || error.code === "ERR_HTTP_REQUEST_TIMEOUT") return void socket.destroy();
      // Its last answer may still be on its way: `dropRest` handles the rest.
      if (!socket.writable) return;
      const failure = error.code === "HPE_HEADER_OVERFLOW" ? headersTooLarge() : fail("bad_request");
      const refuseNow = () => refuseBare(socket, failure);
      if (!latest || (latest.writableFinished && latest.req.complete)) return void refuseNow();
      // The request before is whole: its answer comes first.
      if (latest.req.complete) return void latest.once("close", refuseNow);
      // It has its answer: there is no second one.
      if (latest.writableFinished) return void socket.end();
      if (latest.headersSent) return void socket.destroy();
      latest.setHeader("Connection", "close");
      refuse(latest, failure, String(latest.getHeader("X-Request-Id")));
    },
  };
}

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 2_000;
const LOOK_MS = 20;

/**
 * Reads and drops what a client still sends of a request that is answered already: closed with unread bytes, the connection
 * would lose the answer, too. Ends it after too many bytes or too long. Returns a function that stops dropping.
 */
export function dropRest(socket: Socket): () => void {
  const read = socket.bytesRead;
  const started = performance.now();
  // Node's HTTP parser reads from below the socket: there are no events to count.
  const timer = setInterval(() => {
    if (socket.bytesRead - read <= MAX_BYTES && performance.now() - started <= MAX_MS) return;
    stop();
    socket.destroy();
  }, LOOK_MS);
  const stop = () => {
    clearInterval(timer);
    socket.off("close", stop);
  };
  socket.once("close", stop);
  return stop;
}
