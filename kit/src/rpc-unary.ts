import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from "node:http2";
import { constants } from "node:http2";
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import "./text-encoding.js";
import { MAX_MESSAGE_BYTES } from "./serve.js";

interface Answer {
  headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  body: Buffer;
}

/**
 * Unary calls of the Connect protocol over one session, each a stream of its own. The library's transport can more (interceptors,
 * compression, other protocols), and spends three times as much on each call.
 */
export function unaryOver(session: Http2SessionManager): Transport["unary"] {
  return async <I extends DescMessage, O extends DescMessage>(
    ...[method, signal, timeoutMs, header, input]: Parameters<Transport["unary"]>
  ) => {
    const { typeName } = method.parent;
    const headers = {
      ...Object.fromEntries(new Headers(header)),
      "content-type": "application/proto",
      "connect-protocol-version": "1",
      ...(timeoutMs === undefined ? {} : { "connect-timeout-ms": String(Math.ceil(timeoutMs)) }),
    };
    const { input: inputSchema, output } = method as DescMethodUnary<I, O>;
    const message = toBinary(inputSchema, create(inputSchema, input as MessageShape<I>));
    const opening = session.request("POST", `/${typeName}/${method.name}`, headers, {});
    const answer = await exchange(opening, message, { signal, timeoutMs });
    return {
      stream: false,
      service: method.parent,
      method,
      header: new Headers(),
      trailer: new Headers(),
      message: fromBinary(output, bodyOf(answer)),
    } as never;
  };
}

function bodyOf({ headers, body }: Answer): Buffer {
  if (headers[":status"] === 200 && headers["content-type"] === "application/proto") return body;
  const unreadable = new ConnectError(`The answer is of another protocol: HTTP ${headers[":status"]}.`, Code.Unknown);
  throw errorFromJsonBytes(body, undefined, unreadable);
}

/** Sends a message and takes its answer; the deadline counts from now, the connection's making included. */
function exchange(
  opening: Promise<ClientHttp2Stream>,
  message: Uint8Array,
  { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number | undefined },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream | undefined;
    let over = false;
    const deadline = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();

    function end(settle: () => void): void {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", cancel);
      over = true;
      settle();
    }
    function lose(reason: unknown): void {
      end(() => reject(ConnectError.from(reason, Code.Unavailable)));
    }
    function giveUp(error: ConnectError): void {
      stream?.close(constants.NGHTTP2_CANCEL);
      end(() => reject(error));
    }
    function cancel(): void {
      giveUp(new ConnectError("canceled", Code.Canceled));
    }
    function expire(): void {
      giveUp(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    }

    function send(opened: ClientHttp2Stream): void {
      stream = opened;
      // An error says why a stream was closed, REFUSED_STREAM above all; some closings have none.
      stream.on("error", lose);
      if (over) {
        stream.close(constants.NGHTTP2_CANCEL);
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      let headers: Answer["headers"] = {};
      stream.on("response", (received) => {
        headers = received;
      });
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > MAX_MESSAGE_BYTES) giveUp(new ConnectError("the answer is too large", Code.ResourceExhausted));
      });
      stream.on("close", () => {
        const { rstCode = 0, readableEnded } = opened;
        if (rstCode === 0 && readableEnded) end(() => resolve({ headers, body: Buffer.concat(chunks) }));
        else lose(new Error(`The stream was closed with HTTP/2 code ${rstCode}.`));
      });
      stream.end(message);
    }
    opening.then(send, lose);
  });
}
