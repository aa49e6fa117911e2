import type { IncomingHttpHeaders } from "node:http2";
import {
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
  type MessageShape,
} from "@bufbuild/protobuf";
import { configureTextEncoding, getTextEncoding } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { BatchService } from "@shipping/proto/shipping/batch/v1/batch_pb";

/** Inputs are bounded: the library's own limit is 4 GiB. The largest message is a page of 100 records of 64 KiB. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
export const MAX_REQUEST_BYTES = 1024 * 1024;

// Node's HTTP/2 has header names in lower case, and the library's constants are capitalised.
export const UNARY_TYPE = "application/proto";
export const ERROR_TYPE = "application/json";
export const TIMEOUT_HEADER = "connect-timeout-ms";
export const VERSION_HEADER = "connect-protocol-version";

/** Node fires a timer at once if it is set to more than this. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The path at which a server takes several unary calls in one. */
export const BATCH_PATH = methodPath(BatchService.method.call);
/** The most calls in a batch: a sender with more begins another batch, and a server refuses more. */
export const MAX_BATCH_CALLS = 64;
/**
 * The most bytes in a batch. The library reads the whole batch before its calls are counted, which takes half a second for a megabyte of
 * empty calls.
 */
export const MAX_BATCH_BYTES = 256 * 1024;

/** The answer to a unary call of the Connect protocol. */
export interface UnaryAnswer {
  status: number;
  type: string;
  body: Uint8Array;
  /** Further headers; the names of trailers begin with `trailer-`. */
  headers?: Record<string, string>;
}

/** An answer as callers and interceptors see it. Its headers are created only when they are read. */
export class UnaryResponse {
  readonly stream = false;
  readonly service: DescService;
  readonly #sent: Sent;

  constructor(
    readonly method: DescMethod,
    readonly message: Message,
    sent: Sent,
  ) {
    this.service = method.parent;
    this.#sent = sent;
  }

  get header(): Headers {
    return this.#sent.header;
  }

  get trailer(): Headers {
    return this.#sent.trailer;
  }
}

interface Sent {
  readonly header: Headers;
  readonly trailer: Headers;
}

/** Returns the path at which a method is called. */
export function methodPath({ parent, name }: { parent: DescService; name: string }): string {
  return `/${parent.typeName}/${name}`;
}

/** Reads a message. Bytes that are not one fail as with the library. */
export function readMessage<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  try {
    return fromBinary(schema, bytes);
  } catch (error) {
    throw new ConnectError(`parse binary: ${(error as Error).message}`, Code.Internal, undefined, undefined, error);
  }
}

/** Returns the error for bytes that are not a batch. */
export function unreadable(cause?: unknown): ConnectError {
  return new ConnectError("the batch cannot be read", Code.InvalidArgument, undefined, undefined, cause);
}

/** Returns the headers that Node's HTTP/2 has received, without those of HTTP/2 itself. */
export function toHeaders(received: IncomingHttpHeaders): Headers {
  const named = Object.entries(received).filter(([name]) => !name.startsWith(":"));
  return new Headers(named.map(([name, value]) => [name, String(value)]));
}

// Protobuf's own decoders treat a leading U+FEFF as a byte order mark and drop it.
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/**
 * Encodes messages with Node's buffers. Protobuf's own way allocates an array for each string, which for messages with many short strings,
 * such as ours, is a third of the cost. Decoding keeps a leading U+FEFF. Every module that reads or writes messages imports this.
 */
configureTextEncoding({
  ...getTextEncoding(),
  encodeUtf8: (text) => Buffer.from(text) as Uint8Array<ArrayBuffer>,
  decodeUtf8: (bytes, isStrict) => (isStrict ? strict : lenient).decode(bytes),
});
