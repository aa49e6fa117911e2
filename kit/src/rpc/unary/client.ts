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
import { pathOf, UNARY_TYPE } from "./protocol.js";
import { type PendingCall, type RpcAnswer, sendOver } from "./send.js";
import "./text-encoding.js";

type Message = Pick<PendingCall, "path" | "headers" | "message">;

/**
 * Binary unary calls over one session. The library's transport does more (interceptors, compression, other protocols) at three times
 * the cost per call.
 */
export function unaryOver(session: Http2SessionManager): Transport["unary"] {
  const send = sendOver(session);
  return async <I extends DescMessage, O extends DescMessage>(
    ...[method, signal, timeoutMs, header, input]: Parameters<Transport["unary"]>
  ) => {
    const { input: inputSchema, output } = method as DescMethodUnary<I, O>;
    const call: Message = {
      path: pathOf(method),
      headers: {
        ...plainHeaders(header),
        ...(timeoutMs === undefined ? {} : { "connect-timeout-ms": String(Math.ceil(timeoutMs)) }),
      },
      message: toBinary(inputSchema, create(inputSchema, input as MessageShape<I>)),
    };
    const answer = await answerTo(call, { signal, timeoutMs }, send);
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

/** Headers as a plain object, which nearly all are already. */
export function plainHeaders(header: Parameters<Transport["unary"]>[3]): Record<string, string> {
  if (header === undefined) return {};
  return Symbol.iterator in header ? Object.fromEntries(new Headers(header)) : (header as Record<string, string>);
}

function bodyOf({ status, type, body }: RpcAnswer): Buffer {
  if (status === 200 && type === UNARY_TYPE) return body;
  const unreadable = new ConnectError(`The answer is of another protocol: HTTP ${status}.`, Code.Unknown);
  throw errorFromJsonBytes(body, undefined, unreadable);
}

/** Sends a call and waits for its end; the deadline counts from now, the connection's making included. */
function answerTo(
  call: Message,
  { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number | undefined },
  send: (call: PendingCall) => void,
): Promise<RpcAnswer> {
  return new Promise((resolve, reject) => {
    let over = false;
    let tell = () => {};
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
      tell();
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
      onGivenUp: (told) => {
        tell = told;
      },
    });
  });
}
