import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import { type BatchCall, decodeAnswer, encodeCalls, readElements } from "./batch-codec.js";
import { BATCH_PATH, MAX_BATCH_CALLS, MAX_MESSAGE_BYTES, UNARY_TYPE, VERSION_HEADER } from "./protocol.js";

export interface RpcAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

/** A call that waits or was sent. It ends once: answered, lost, or cancelled by its caller. */
export interface PendingCall extends BatchCall {
  isOver(): boolean;
  answer(answer: RpcAnswer): void;
  lose(reason: unknown): void;
  /** Calls `listener` if the call is cancelled. */
  onCancel(listener: () => void): void;
}

interface Stream {
  path: string;
  headers?: Record<string, string>;
  body: Uint8Array;
  /** The calls that are lost if the stream is cut off. */
  calls: readonly PendingCall[];
  begin(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void;
  take(chunk: Buffer): void;
  end(): void;
}

const ENDED: Stream = { path: "", body: new Uint8Array(), calls: [], begin() {}, take() {}, end() {} };

// The number of bytes that a stream may carry before the other side acknowledges any of it.
const BATCH_BYTES = 60_000;

/**
 * Sends calls over a session. Calls made in one turn of the event loop, because they waited for the same statement, share a batch. A single
 * call is sent as it is.
 */
export function sendOver(session: Http2SessionManager): (call: PendingCall) => void {
  let waiting: PendingCall[] = [];
  let size = 0;

  function flush(): void {
    const calls = waiting.filter((call) => !call.isOver());
    waiting = [];
    size = 0;
    if (calls.length > 1) sendMany(calls);
    else if (calls[0]) sendOne(calls[0]);
  }

  function sendOne(call: PendingCall): void {
    const { path, headers, message } = call;
    carry({ path, headers, body: message, calls: [call], ...whole((answer) => call.answer(answer)) });
  }

  function sendMany(calls: readonly PendingCall[]): void {
    const body = encodeCalls(calls);
    const elements = readElements((element) => {
      const { call, status, contentType, headers, body } = decodeAnswer(element);
      calls[call]?.answer({ status, headers: { ...headers, "content-type": contentType }, body });
    });
    const refusal = whole((answer) => {
      for (const call of calls) call.answer(answer);
    });
    let receiver: Pick<Stream, "take" | "end"> = {
      take: elements.take,
      end: () => loseAll(calls, new Error("The stream ended without an answer to the call.")),
    };
    carry({
      path: BATCH_PATH,
      body,
      calls,
      begin(headers) {
        if (headers[":status"] === 200 && headers["content-type"] === UNARY_TYPE) return;
        refusal.begin(headers);
        receiver = refusal;
      },
      take: (chunk) => receiver.take(chunk),
      end: () => receiver.end(),
    });
  }

  function carry(sent: Stream): void {
    const headers = { ...sent.headers, "content-type": UNARY_TYPE, [VERSION_HEADER]: "1" };
    session.request("POST", sent.path, headers, {}).then(
      (opened) => exchange(opened, sent),
      (reason) => loseAll(sent.calls, reason),
    );
  }

  return (call) => {
    if (size + call.message.length > BATCH_BYTES || waiting.length === MAX_BATCH_CALLS) flush();
    // This runs after everything that was ready in this turn.
    if (waiting.length === 0) process.nextTick(flush);
    waiting.push(call);
    size += call.message.length;
  };
}

/** Reads a stream that is a single answer. */
function whole(onAnswer: (answer: RpcAnswer) => void): Pick<Stream, "begin" | "take" | "end"> {
  const chunks: Buffer[] = [];
  let size = 0;
  let head: Omit<RpcAnswer, "body"> = { status: 0, headers: {} };
  return {
    begin(headers) {
      head = { status: headers[":status"] ?? 0, headers };
    },
    take(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_MESSAGE_BYTES) throw new ConnectError("the answer is too large", Code.ResourceExhausted);
    },
    end: () => onAnswer({ ...head, body: Buffer.concat(chunks) }),
  };
}

function exchange(opened: ClientHttp2Stream, stream: Stream): void {
  // The handlers are released at the end: otherwise Node's table of streams can keep this object, and everything that it holds, from the
  // garbage collector for seconds.
  let sent = stream;
  const lose = (reason: unknown) => loseAll(sent.calls, reason);
  const cancel = () => opened.close(constants.NGHTTP2_CANCEL);
  const allCallsOver = () => sent.calls.every((call) => call.isOver());
  // The error gives the reason why a stream was closed, above all REFUSED_STREAM; some streams close without one.
  opened.on("error", lose);
  if (allCallsOver()) {
    cancel();
    return;
  }
  for (const call of sent.calls) {
    call.onCancel(() => {
      if (allCallsOver()) cancel();
    });
  }
  opened.on("response", (headers) => sent.begin(headers));
  opened.on("data", (chunk: Buffer) => {
    try {
      sent.take(chunk);
    } catch (error) {
      lose(error);
      cancel();
    }
  });
  opened.on("close", () => {
    const { rstCode = 0, readableEnded } = opened;
    if (rstCode === 0 && readableEnded) sent.end();
    else lose(new Error(`The stream was closed with HTTP/2 code ${rstCode}.`));
    sent = ENDED;
  });
  opened.end(sent.body);
}

function loseAll(calls: readonly PendingCall[], reason: unknown): void {
  for (const call of calls) if (!call.isOver()) call.lose(reason);
}
