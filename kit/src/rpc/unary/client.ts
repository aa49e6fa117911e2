import { create, type DescMessage, type DescMethodUnary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  errorFromJsonBytes,
  trailerDemux,
  validateResponseWithCompression,
} from "@connectrpc/connect/protocol-connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import type { BatchCall } from "./batch-codec.js";
import {
  MAX_TIMER_MS,
  methodPath,
  readMessage,
  TIMEOUT_HEADER,
  toHeaders,
  UNARY_TYPE,
  UnaryResponse,
} from "./protocol.js";
import { type PendingCall, type RpcAnswer, sendOver } from "./send.js";

/**
 * Makes unary calls of the Connect protocol in binary over one session. The library's transport has more features, at three times the cost
 * per call.
 */
export function unaryOver(session: Http2SessionManager): Transport["unary"] {
  const send = sendOver(session);
  return async <I extends DescMessage, O extends DescMessage>(
    ...[method, signal, timeout, header, input]: Parameters<Transport["unary"]>
  ) => {
    const { input: inputSchema, output } = method as DescMethodUnary<I, O>;
    const timeoutMs = timeout === undefined || timeout <= 0 ? undefined : Math.min(Math.ceil(timeout), MAX_TIMER_MS);
    const call: BatchCall = {
      path: methodPath(method),
      headers: { ...plainHeaders(header), ...(timeoutMs !== undefined && { [TIMEOUT_HEADER]: String(timeoutMs) }) },
      message: toBinary(inputSchema, create(inputSchema, input as MessageShape<I>)),
    };
    const answer = await answerTo(call, { signal, timeoutMs }, send);
    return new UnaryResponse(method, readMessage(output, requireBody(answer)), new Metadata(answer)) as never;
  };
}

/** The headers and trailers of an answer. */
class Metadata {
  readonly #headers: RpcAnswer["headers"];

  constructor({ headers }: RpcAnswer) {
    this.#headers = headers;
  }

  get header(): Headers {
    return trailerDemux(toHeaders(this.#headers))[0];
  }

  get trailer(): Headers {
    return trailerDemux(toHeaders(this.#headers))[1];
  }
}

/** Returns headers as a plain object, which nearly all of them already are. */
export function plainHeaders(header: Parameters<Transport["unary"]>[3]): Record<string, string> {
  if (header === undefined) return {};
  return Symbol.iterator in header ? Object.fromEntries(new Headers(header)) : (header as Record<string, string>);
}

/** Returns the message of a successful answer. For any other answer, it throws the error that the library would throw. */
function requireBody({ status, headers, body }: RpcAnswer): Uint8Array {
  const isPlain = headers["content-encoding"] === undefined;
  if (status === 200 && headers["content-type"] === UNARY_TYPE && isPlain) return body;
  const [header, trailer] = trailerDemux(toHeaders(headers));
  const { unaryError } = validateResponseWithCompression("unary", [], true, status, header);
  for (const [name, value] of trailer) header.append(name, value);
  if (unaryError) throw errorFromJsonBytes(body, header, unaryError);
  return body;
}

/** Sends a call and waits for its end. The deadline counts from now and includes the time to connect. */
function answerTo(
  call: BatchCall,
  { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number | undefined },
  send: (call: PendingCall) => void,
): Promise<RpcAnswer> {
  return new Promise((resolve, reject) => {
    let over = false;
    let onCancel = () => {};
    const deadline = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();

    function end(settle: () => void): void {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", cancel);
      over = true;
      settle();
    }
    function giveUp(error: ConnectError): void {
      end(() => reject(error));
      onCancel();
    }
    function cancel(): void {
      giveUp(new ConnectError("canceled", Code.Canceled));
    }
    function expire(): void {
      giveUp(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    }

    send({
      ...call,
      isOver: () => over,
      answer: (answer) => end(() => resolve(answer)),
      lose: (reason) => end(() => reject(ConnectError.from(reason, Code.Unavailable))),
      onCancel: (listener) => {
        onCancel = listener;
      },
    });
  });
}
