import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { Code, ConnectError, type ContextValues } from "@connectrpc/connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import { answerCall, callsIn, holdBack } from "./answer-batch.js";
import { BATCH_PATH, MAX_BATCH_BYTES } from "./batch.js";
import { type BatchAnswer, type BatchCall, encodeAnswers } from "./batch-codec.js";
import { failedCall, type UnaryMethod, type UnaryMethods } from "./methods.js";
import { MAX_REQUEST_BYTES, toHeaders, UNARY_TYPE, type UnaryAnswer, VERSION_HEADER } from "./protocol.js";

type Handler = ReturnType<typeof connectNodeAdapter>;

interface Exchange {
  request: Http2ServerRequest;
  response: Http2ServerResponse;
  values: ContextValues;
}

/**
 * Answers unary calls of the Connect protocol in binary, alone and in batches: the calls of the platform's own parts. It uses the same
 * handlers and interceptors as the library, at a fraction of the cost. Everything else goes to `others`.
 */
export function answerUnary(options: {
  methods: UnaryMethods;
  /** The context values that the interceptors get with each call of a request. */
  contextValues(request: Http2ServerRequest): ContextValues;
  others: Handler;
}): Handler {
  const { methods, contextValues, others } = options;
  return (incoming, outgoing) => {
    const [request, response] = [incoming as Http2ServerRequest, outgoing as Http2ServerResponse];
    const method = methods.get(request.url);
    const isBatch = request.url === BATCH_PATH;
    if ((!method && !isBatch) || !isUnary(request)) {
      others(incoming, outgoing);
      return;
    }
    const exchange = { request, response, values: contextValues(request) };
    void (method ? answerOne(exchange, method) : answerMany(exchange, methods));
  };
}

function isUnary({ method, headers }: Http2ServerRequest): boolean {
  return (
    method === "POST" &&
    headers["content-type"] === UNARY_TYPE &&
    headers[VERSION_HEADER] === "1" &&
    headers["content-encoding"] === undefined
  );
}

async function answerOne({ request, response, values }: Exchange, method: UnaryMethod): Promise<void> {
  const answered = (bytes: Buffer) => method(toHeaders(request.headers), bytes, values);
  respond(response, await bytesOf(request, MAX_REQUEST_BYTES).then(answered, failedCall));
}

function respond(response: Http2ServerResponse, { status, type, headers, body }: UnaryAnswer): void {
  // Does nothing if the client has gone.
  response.writeHead(status, { ...headers, "content-type": type, "content-length": body.length });
  response.end(body);
}

/**
 * Starts all calls of a batch once it has arrived completely, and sends each answer as soon as it is ready: the parts of a message with one
 * repeated field are such messages themselves.
 */
async function answerMany({ request, response, values }: Exchange, methods: UnaryMethods): Promise<void> {
  let calls: BatchCall[];
  try {
    calls = callsIn(await bytesOf(request, MAX_BATCH_BYTES));
  } catch (error) {
    await holdBack();
    respond(response, failedCall(error));
    return;
  }
  let left = calls.length;
  let ready: BatchAnswer[] = [];

  function flush(): void {
    const body = encodeAnswers(ready);
    if (ready.length === calls.length) {
      respond(response, { status: 200, type: UNARY_TYPE, body });
      return;
    }
    ready = [];
    if (!response.headersSent) response.writeHead(200, { "content-type": UNARY_TYPE });
    if (left > 0) response.write(body);
    else response.end(body);
  }

  for (const [at, call] of calls.entries()) {
    void answerCall(methods, call, values, at).then((answer) => {
      // Answers from one statement are sent in one write.
      if (ready.length === 0) process.nextTick(flush);
      ready.push(answer);
      left--;
    });
  }
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
    request.on("aborted", () => reject(new ConnectError("the client disconnected", Code.Canceled)));
    request.on("error", reject);
  });
}
