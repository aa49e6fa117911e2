import { Code, ConnectError } from "@connectrpc/connect";
import { BatchService } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { MAX_MESSAGE_BYTES, methodPath } from "./protocol.js";

/** The path at which a server takes several unary calls in one. */
export const BATCH_PATH = methodPath(BatchService.method.call);
/** The most calls in a batch: a sender then begins another batch, and a server refuses more. */
export const MAX_BATCH_CALLS = 64;
/**
 * The most bytes in a batch. The library reads the whole batch before anything counts its calls, which takes half a second for a megabyte
 * of empty calls.
 */
export const MAX_BATCH_BYTES = 256 * 1024;

/** Reads the elements of a message as its bytes arrive. `isWhole` is true between elements. */
export interface ElementReader {
  take(chunk: Buffer): void;
  isWhole(): boolean;
}

// The bytes before a field's content: number and wire type, length-delimited, and a varint.
const FIRST_FIELD = 0x0a;
const NUMBER_AND_TYPE = 0x87;
const LENGTH_DELIMITED = 2;
const MAX_LENGTH_BYTES = 5;

/**
 * Reads a message whose field 1 is repeated, `CallRequest` or `CallResponse`, and passes on each element's bytes once they are complete.
 * Other fields are skipped. An element of more than 16 MiB is refused with `resource_exhausted`, and bytes that are not such a message with
 * `invalid_argument`.
 */
export function readElements(onElement: (bytes: Buffer) => void): ElementReader {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = 0;
  return {
    take(chunk) {
      chunks.push(chunk);
      held += chunk.length;
      if (held < needed) return;
      let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      let field = firstFieldOf(bytes);
      while (field && field.end <= bytes.length) {
        if (bytes[0] === FIRST_FIELD) onElement(bytes.subarray(field.start, field.end));
        bytes = bytes.subarray(field.end);
        field = firstFieldOf(bytes);
      }
      needed = field?.end ?? 0;
      chunks = [bytes];
      held = bytes.length;
    },
    isWhole: () => held === 0,
  };
}

/** Where the content of the first field begins and ends; undefined until its length has arrived. */
function firstFieldOf(bytes: Buffer): { start: number; end: number } | undefined {
  if (bytes.length === 0) return undefined;
  if ((bytes[0]! & NUMBER_AND_TYPE) !== LENGTH_DELIMITED) throw unreadable();
  let length = 0;
  for (let at = 1; at <= MAX_LENGTH_BYTES; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 128 ** (at - 1);
    if (length > MAX_MESSAGE_BYTES) throw new ConnectError("the message is too large", Code.ResourceExhausted);
    if (byte < 0x80) return { start: at + 1, end: at + 1 + length };
  }
  throw unreadable();
}

/** The error for bytes that are not a batch. */
export function unreadable(cause?: unknown): ConnectError {
  return new ConnectError("the batch cannot be read", Code.InvalidArgument, undefined, undefined, cause);
}
