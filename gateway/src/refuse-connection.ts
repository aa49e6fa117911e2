import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId, type Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/log";
import { unknownRoute } from "./failure-of.js";
import { errorBody, refuse } from "./send-error.js";

const LINGER_MS = 1_000;

/** Refusals of what Node's HTTP parser does not hand over as a request. */
export function createConnectionRefusals({ log, random }: { log: Log; random: Random }) {
  const refused = new WeakSet<Duplex>();

  /** Answers on the bare connection and ends it. */
  function refuseBare(socket: Duplex, status: number, failure: Failure): void {
    const requestId = newId("req", random);
    log.info({ status, request_id: requestId, code: failure.code }, "request");
    if (!socket.writable) return void socket.destroy();
    const body = errorBody(failure, requestId);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
    // Closed at once, the answer could be lost to a client that is still sending.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  return {
    /** Answers CONNECT, which Node does not treat as a request: an unknown route like any other. */
    connect(socket: Duplex): void {
      refuseBare(socket, 404, unknownRoute());
    },

    /** Answers bytes that are not HTTP. `latest` is the response to the request that came before them, or that they are part of. */
    malformed(error: NodeJS.ErrnoException, socket: Duplex, latest: ServerResponse | undefined): void {
      // Every further byte on the connection is malformed too.
      if (refused.has(socket)) return;
      refused.add(socket);
      if (!socket.writable || error.code === "ECONNRESET" || error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
        return void socket.destroy();
      }
      const refuseNow = () => refuseBare(socket, error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400, fail("bad_request"));
      if (!latest || latest.writableFinished) return void refuseNow();
      // The request before is whole: its answer comes first.
      if (latest.req.complete) return void latest.once("close", refuseNow);
      if (latest.headersSent) return void socket.destroy();
      latest.setHeader("Connection", "close");
      refuse(latest, fail("bad_request"), String(latest.getHeader("X-Request-Id")));
    },
  };
}
