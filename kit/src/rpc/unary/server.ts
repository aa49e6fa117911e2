import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { Code, ConnectError, type ConnectRouter, type ContextValues, type Interceptor } from "@connectrpc/connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import { BATCH_PATH, BATCH_TYPE, type CallHead, frameOf, MAX_BATCH_CALLS, readFrames } from "./call-frames.js";
import { failedCall, type UnaryMethod, unaryMethods } from "./methods.js";
import { UNARY_TYPE, type UnaryAnswer } from "./protocol.js";

type Handler = ReturnType<typeof connectNodeAdapter>;
type Methods = ReadonlyMap<string, UnaryMethod>;

interface Call extends CallHead {
  message: Uint8Array;
}

interface Exchange {
  request: Http2ServerRequest;
  response: Http2ServerResponse;
  values(): ContextValues;
  maxBytes: number;
}

/**
 * Answers unary calls of the Connect protocol in binary, alone and in batches, which are those of the platform's own parts, through the same
 * handlers and interceptors as the library, at a fraction of its cost; everything else is left to `others`.
 */
export function answerUnary(options: {
  routes(router: ConnectRouter): void;
  interceptors: readonly Interceptor[];
  /** What the interceptors of a request's calls are given beside the call. */
  contextValues(request: Http2ServerRequest): ContextValues;
  maxBytes: number;
  others: Handler;
}): Handler {
  const { maxBytes, others } = options;
  const methods = unaryMethods(options.routes, options.interceptors);
  return (incoming, outgoing) => {
    const [request, response] = [incoming as Http2ServerRequest, outgoing as Http2ServerResponse];
    const method = isUnary(request) ? methods.get(request.url) : undefined;
    const values = () => options.contextValues(request);
    if (method) void answerOne({ request, response, values, maxBytes }, method);
    else if (isBatch(request)) void answerMany({ request, response, values, maxBytes }, methods);
    else others(incoming, outgoing);
  };
}

function isUnary({ method, headers }: Http2ServerRequest): boolean {
  return (
    method === "POST" &&
    headers["content-type"] === UNARY_TYPE &&
    headers["connect-protocol-version"] === "1" &&
    headers["content-encoding"] === undefined
  );
}

function isBatch({ method, url, headers }: Http2ServerRequest): boolean {
  return method === "POST" && url === BATCH_PATH && headers["content-type"] === BATCH_TYPE;
}

async function answerOne({ request, response, values, maxBytes }: Exchange, method: UnaryMethod): Promise<void> {
  const answered = (bytes: Buffer) => method(headersOf(request), bytes, values());
  const answer = await bytesOf(request, maxBytes).then(answered, failedCall);
  respond(response, answer);
}

function respond(response: Http2ServerResponse, { status, type, body }: UnaryAnswer): void {
  // Does nothing if the client has gone.
  response.writeHead(status, { "content-type": type, "content-length": body.length });
  response.end(body);
}

/** Starts all calls of a batch once it has arrived completely, and sends each answer as soon as it is ready. */
async function answerMany({ request, response, values, maxBytes }: Exchange, methods: Methods): Promise<void> {
  let calls: Call[];
  try {
    calls = callsIn(await bytesOf(request, maxBytes), maxBytes);
  } catch (error) {
    respond(response, failedCall(error));
    return;
  }
  let left = calls.length;
  let ready: Buffer[] = [];

  function flush(): void {
    const bytes = Buffer.concat(ready);
    ready = [];
    if (left > 0) response.write(bytes);
    else response.end(bytes);
  }

  response.writeHead(200, { "content-type": BATCH_TYPE });
  for (const [at, call] of calls.entries()) {
    void answerTo(call, values, methods).then(({ status, type, body }) => {
      // Answers of one statement leave in one write.
      if (ready.length === 0) process.nextTick(flush);
      ready.push(frameOf({ call: at, status, type }, body));
      left--;
    });
  }
}

async function answerTo(
  { path, headers, message }: Call,
  values: Exchange["values"],
  methods: Methods,
): Promise<UnaryAnswer> {
  try {
    const method = methods.get(path);
    if (!method) throw new ConnectError(`There is no ${path}.`, Code.Unimplemented);
    return await method(new Headers(headers), message, values());
  } catch (error) {
    return failedCall(error);
  }
}

function callsIn(bytes: Buffer, maxBytes: number): Call[] {
  const calls: Call[] = [];
  const frames = readFrames<CallHead>(maxBytes, (head, message) => {
    if (calls.length === MAX_BATCH_CALLS) {
      throw new ConnectError(`a batch holds at most ${MAX_BATCH_CALLS} calls`, Code.ResourceExhausted);
    }
    calls.push({ ...head, message });
  });
  frames.take(bytes);
  if (!frames.isWhole() || calls.length === 0) throw new ConnectError("the batch is cut off", Code.InvalidArgument);
  return calls;
}

function bytesOf(request: Http2ServerRequest, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(new ConnectError("the message is too large", Code.ResourceExhausted));
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("aborted", () => reject(new ConnectError("the client has gone", Code.Canceled)));
    request.on("error", reject);
  });
}

function headersOf({ headers }: Http2ServerRequest): Headers {
  const named = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return new Headers(named.map(([name, value]) => [name, String(value)]));
}
