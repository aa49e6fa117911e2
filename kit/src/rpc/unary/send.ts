import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from "node:http2";
import { constants } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import { type AnswerHead, BATCH_PATH, BATCH_TYPE, frameOf, MAX_BATCH_CALLS, readFrames } from "./call-frames.js";
import { MAX_MESSAGE_BYTES } from "./protocol.js";

/** What came back for a call. */
export interface RpcAnswer {
  status: number;
  type: string | undefined;
  body: Buffer;
}

/** A call that waits or was sent. It ends once: answered, lost, or cancelled by its caller. */
export interface PendingCall {
  path: string;
  headers: Record<string, string>;
  message: Uint8Array;
  isOver(): boolean;
  answer(answer: RpcAnswer): void;
  lose(reason: unknown): void;
  /** Calls `tell` if the call is cancelled. */
  onGivenUp(tell: () => void): void;
}

interface Stream {
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** The calls that are lost if it is cut off. */
  calls: readonly PendingCall[];
  begin(status: number, type: string | undefined): void;
  take(chunk: Buffer): void;
  end(): void;
}

// What a stream may carry before the other side acknowledges any of it.
const BATCH_BYTES = 60_000;
const NOT_FOUND = 404;

/**
 * Sends calls over a session. Calls made in one turn of the event loop, because they waited for the same statement, share a
 * stream; a lone one is an ordinary call of the Connect protocol, and to a server that knows no batches each goes alone.
 */
export function sendOver(session: Http2SessionManager): (call: PendingCall) => void {
  let waiting: PendingCall[] = [];
  let size = 0;
  let knowsBatches = true;

  function flush(): void {
    const calls = waiting.filter((call) => !call.isOver());
    waiting = [];
    size = 0;
    if (calls.length > 1 && knowsBatches) sendMany(calls);
    else for (const call of calls) sendOne(call);
  }

  function sendOne(call: PendingCall): void {
    const { path, message } = call;
    const headers = { ...call.headers, "content-type": "application/proto", "connect-protocol-version": "1" };
    carry({ path, headers, body: message, calls: [call], ...whole((answer) => call.answer(answer)) });
  }

  function sendMany(calls: readonly PendingCall[]): void {
    const headers = { "content-type": BATCH_TYPE };
    const body = Buffer.concat(calls.map(({ path, headers, message }) => frameOf({ path, headers }, message)));
    const frames = readFrames<AnswerHead>(MAX_MESSAGE_BYTES, ({ call, status, type }, body) =>
      calls[call]?.answer({ status, type, body }),
    );
    const refusal = whole(({ status, body }) => {
      knowsBatches = status !== NOT_FOUND;
      for (const call of calls) {
        if (knowsBatches) call.answer({ status, type: undefined, body });
        else sendOne(call);
      }
    });
    let receiver: Pick<Stream, "take" | "end"> = {
      take: frames.take,
      end: () => loseAll(calls, new Error("The stream ended without an answer to the call.")),
    };
    carry({
      path: BATCH_PATH,
      headers,
      body,
      calls,
      begin(status, type) {
        if (status === 200 && type === BATCH_TYPE) return;
        refusal.begin(status, type);
        receiver = refusal;
      },
      take: (chunk) => receiver.take(chunk),
      end: () => receiver.end(),
    });
  }

  function carry(sent: Stream): void {
    session.request("POST", sent.path, sent.headers, {}).then(
      (opened) => exchange(opened, sent),
      (reason) => loseAll(sent.calls, reason),
    );
  }

  return (call) => {
    if (size + call.message.length > BATCH_BYTES || waiting.length === MAX_BATCH_CALLS) flush();
    // Runs after all that was ready in this turn.
    if (waiting.length === 0) process.nextTick(flush);
    waiting.push(call);
    size += call.message.length;
  };
}

/** Reads a stream that is one answer. */
function whole(onAnswer: (answer: RpcAnswer) => void): Pick<Stream, "begin" | "take" | "end"> {
  const chunks: Buffer[] = [];
  let size = 0;
  let head: Pick<RpcAnswer, "status" | "type"> = { status: 0, type: undefined };
  return {
    begin(status, type) {
      head = { status, type };
    },
    take(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_MESSAGE_BYTES) throw new ConnectError("the answer is too large", Code.ResourceExhausted);
    },
    end: () => onAnswer({ ...head, body: Buffer.concat(chunks) }),
  };
}

function exchange(opened: ClientHttp2Stream, sent: Stream): void {
  const { calls } = sent;
  const lose = (reason: unknown) => loseAll(calls, reason);
  const cancel = () => opened.close(constants.NGHTTP2_CANCEL);
  const nobodyWaits = () => calls.every((call) => call.isOver());
  // The error says why a stream was closed, REFUSED_STREAM above all; some streams close without one.
  opened.on("error", lose);
  if (nobodyWaits()) {
    cancel();
    return;
  }
  for (const call of calls) {
    call.onGivenUp(() => {
      if (nobodyWaits()) cancel();
    });
  }
  opened.on("response", (headers: IncomingHttpHeaders & IncomingHttpStatusHeader) => {
    sent.begin(headers[":status"] ?? 0, headers["content-type"]);
  });
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
  });
  opened.end(sent.body);
}

function loseAll(calls: readonly PendingCall[], reason: unknown): void {
  for (const call of calls) if (!call.isOver()) call.lose(reason);
}
