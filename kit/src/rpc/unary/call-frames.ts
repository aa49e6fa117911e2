import { Code, ConnectError } from "@connectrpc/connect";

/** Where a server takes several unary calls in one stream, and what such a stream is made of. */
export const BATCH_PATH = "/shipping.kit.Batch";
export const BATCH_TYPE = "application/x-call-frames";
/** How many calls one stream may hold: a sender begins another, a server refuses more. */
export const MAX_BATCH_CALLS = 64;

/** What a batch says of a call beside its message. The answer names the call by its index in the batch, from 0. */
export interface CallHead {
  path: string;
  headers: Record<string, string>;
}

/** What a batch says of an answer beside its message: the HTTP status and content type that it would have on its own. */
export interface AnswerHead {
  call: number;
  status: number;
  type: string;
}

const LENGTHS = 8;

/** A head and a body with their lengths before them: two numbers of four bytes, the head as JSON, the body. */
export function frameOf(head: CallHead | AnswerHead, body: Uint8Array): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const frame = Buffer.allocUnsafe(LENGTHS + text.length + body.length);
  frame.writeUInt32BE(text.length, 0);
  frame.writeUInt32BE(body.length, 4);
  frame.set(text, LENGTHS);
  frame.set(body, LENGTHS + text.length);
  return frame;
}

/** Reads the bytes of a stream, and passes on each frame once it is complete. `isWhole` is true between frames. */
export interface FrameReader {
  take(chunk: Buffer): void;
  isWhole(): boolean;
}

/** A frame of more than `maxBytes` is refused with `resource_exhausted`, one that cannot be read with `invalid_argument`. */
export function readFrames<Head>(maxBytes: number, onFrame: (head: Head, body: Buffer) => void): FrameReader {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = LENGTHS;

  function lengthOf(bytes: Buffer): number {
    if (bytes.length < LENGTHS) return LENGTHS;
    const length = LENGTHS + bytes.readUInt32BE(0) + bytes.readUInt32BE(4);
    if (length > maxBytes) throw new ConnectError("the message is too large", Code.ResourceExhausted);
    return length;
  }

  return {
    take(chunk) {
      chunks.push(chunk);
      held += chunk.length;
      if (held < needed) return;
      let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      for (needed = lengthOf(bytes); bytes.length >= needed; needed = lengthOf(bytes)) {
        const bodyAt = LENGTHS + bytes.readUInt32BE(0);
        onFrame(headIn(bytes.subarray(LENGTHS, bodyAt)), bytes.subarray(bodyAt, needed));
        bytes = bytes.subarray(needed);
      }
      chunks = [bytes];
      held = bytes.length;
    },
    isWhole: () => held === 0,
  };
}

function headIn<Head>(text: Buffer): Head {
  try {
    return JSON.parse(text.toString()) as Head;
  } catch (error) {
    throw new ConnectError("a frame's head is not JSON", Code.InvalidArgument, undefined, undefined, error);
  }
}
