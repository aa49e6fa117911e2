import { newError } from "./error-kinds.js";

/** The body of a delivery as it arrived. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The part of a `ReadableStream` of bytes that `verify` needs, so that the types need neither the DOM's nor Node's. */
export interface BodyStream {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<void> };
}

/** A stream of Node, such as the request of `node:http`, Express, Koa and Fastify (`IncomingMessage`) before a body parser has read it. */
export type NodeStream = AsyncIterable<Uint8Array | string>;

/** The members by which a value is recognised that is no body. All are optional, because any value can be passed. */
interface Candidate extends Partial<BodyStream>, Partial<NodeStream> {
  locked?: unknown;
  readableDidRead?: unknown;
  rawBody?: unknown;
  raw?: unknown;
  req?: unknown;
  type?: unknown;
  data?: unknown;
  arrayBuffer?: unknown;
  then?: unknown;
}

/** The methods of Node's streams that reading needs. */
interface NodeReadable extends NodeStream {
  iterator?: (options: { destroyOnReturn: boolean }) => NodeStream;
  resume?: () => void;
}

const HOW_TO_STAY_RAW = `
Express: express.raw({ type: "application/json" }) on this route, then req.body.
Fastify: addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => done(null, body)).
Koa and node:http: pass the request itself, ctx.req or req, before a body parser reads it.
Next.js and Workers: pass request.body, the stream.`;

const PARSED = "The body was parsed before it was verified, so its original bytes are gone. Read the raw body instead.";
const READ_BEFORE =
  "The stream was read before it was verified, for example by a body parser, so its bytes are gone. Read the raw body instead.";

/** Throws unless a body can be read. Says what it is instead, and how to get the raw body. */
export function checkBody(body: unknown): void {
  if (isRaw(body)) return;
  const value = (body ?? {}) as Candidate;
  if (isStream(body) ? value.locked !== true : isNodeStream(body) && value.readableDidRead !== true) return;
  throw newError("parsed_body", whatItIs(body, value) + HOW_TO_STAY_RAW);
}

function whatItIs(body: unknown, value: Candidate): string {
  if (body === undefined || body === null)
    return `The body is ${body}. If no body parser has read the request, pass the request itself.`;
  if (isRaw(value.rawBody)) return "This is a request whose bytes its framework has kept. Pass its rawBody.";
  if (isStream(body) || isNodeStream(body)) return READ_BEFORE;
  if (typeof body === "function") return "This is a function. Call it, and pass the bytes or the text that it returns.";
  if (typeof value.then === "function") return "This is a promise. Pass what it resolves to: await it first.";
  if (typeof value.arrayBuffer === "function")
    return "This is a Request or a Blob, not its bytes. Pass its stream, request.body, or await request.arrayBuffer().";
  if (isNodeStream(value.raw) || isNodeStream(value.req))
    return "This is a framework's request or context, not its body. Pass the raw body.";
  if (value.type === "Buffer" && Array.isArray(value.data))
    return "This is a Buffer that became JSON on its way. Pass Buffer.from(body.data).";
  return PARSED;
}

/** Returns the bytes of a body that `checkBody` has accepted; undefined, without the rest, as soon as there are more than `maxBytes`. */
export async function readBody(
  body: RawBody | BodyStream | NodeStream,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (isRaw(body)) return toBytes(body, maxBytes);
  return isStream(body) ? readStream(body, maxBytes) : readNodeStream(body, maxBytes);
}

export function isRaw(body: unknown): body is RawBody {
  // `instanceof` does not recognize an ArrayBuffer of another realm.
  return (
    typeof body === "string" ||
    ArrayBuffer.isView(body) ||
    Object.prototype.toString.call(body) === "[object ArrayBuffer]"
  );
}

function isStream(body: unknown): body is BodyStream {
  return typeof (body as Partial<BodyStream> | null)?.getReader === "function";
}

function isNodeStream(body: unknown): body is NodeStream {
  return typeof (body as Candidate | null | undefined)?.[Symbol.asyncIterator] === "function";
}

/** The bytes of a body, without a copy; undefined if there are more than `maxBytes`. */
export function toBytes(body: RawBody, maxBytes: number): Uint8Array | undefined {
  // No text has fewer bytes than it has code units.
  if ((typeof body === "string" ? body.length : body.byteLength) > maxBytes) return undefined;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  return bytes.length > maxBytes ? undefined : bytes;
}

async function readStream(body: BodyStream, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) return concatenate(chunks, length);
    length += value.length;
    if (length > maxBytes) break;
    chunks.push(value);
  }
  await reader.cancel();
  return undefined;
}

async function readNodeStream(body: NodeReadable, maxBytes: number): Promise<Uint8Array | undefined> {
  // Node would destroy the stream when it is left early, and with it the connection, on which the receiver still has to answer.
  const chunks = typeof body.iterator === "function" ? body.iterator({ destroyOnReturn: false }) : body;
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    if (!isRaw(chunk)) throw newError("parsed_body", PARSED + HOW_TO_STAY_RAW);
    const bytes = toBytes(chunk, maxBytes - length);
    if (!bytes) {
      length = Number.POSITIVE_INFINITY;
      break;
    }
    length += bytes.length;
    read.push(bytes);
  }
  if (length <= maxBytes) return concatenate(read, length);
  body.resume?.();
  return undefined;
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
