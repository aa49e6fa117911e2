import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, type HandlerContext } from "@connectrpc/connect";
import { parseTimeout } from "@connectrpc/connect/protocol-connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import { type CallRequest, type CallResponse, CallResponseSchema } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { type BatchAnswer, type BatchCall, decodeCall, encodeAnswers, readElements } from "./batch-codec.js";
import { failedCall, type UnaryMethod, type UnaryMethods } from "./methods.js";
import {
  BATCH_PATH,
  MAX_BATCH_BYTES,
  MAX_BATCH_CALLS,
  MAX_REQUEST_BYTES,
  MAX_TIMER_MS,
  TIMEOUT_HEADER,
  toHeaders,
  UNARY_TYPE,
  type UnaryAnswer,
  unreadable,
  VERSION_HEADER,
} from "./protocol.js";

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
  others(request: Http2ServerRequest, response: Http2ServerResponse): void | Promise<void>;
}): Handler {
  const { methods, contextValues, others } = options;

  async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const method = methods.get(request.url);
    const isBatch = request.url === BATCH_PATH;
    if ((!method && !isBatch) || !isUnary(request)) {
      request.headers[":authority"] = ANY_AUTHORITY;
      return await others(request, response);
    }
    const exchange = { request, response, values: contextValues(request) };
    await (method ? answerOne(exchange, method) : answerMany(exchange, methods));
  }

  return (incoming, outgoing) => {
    const response = outgoing as Http2ServerResponse;
    // An error that a request causes ends only that request: uncaught, it would end the process and all other calls with it.
    answer(incoming as Http2ServerRequest, response).catch((error) => {
      if (response.headersSent) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      else respond(response, failedCall(error));
    });
  };
}

// The library (connect-node 2.1.2) makes a URL of each request, and throws if the client's authority does not fit into one. Node's own
// client sends such an authority for an IPv6 address: `::1:7001` for `http://[::1]:7001`. The authority is not used here.
const ANY_AUTHORITY = "part";

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
  respond(response, await readBytes(request, MAX_REQUEST_BYTES).then(answered, failedCall));
}

function respond(response: Http2ServerResponse, { status, type, headers, body }: UnaryAnswer): void {
  // Writing has no effect if the client has gone.
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
    calls = readCalls(await readBytes(request, MAX_BATCH_BYTES));
  } catch (error) {
    await delayRefusal();
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

function readBytes(request: Http2ServerRequest, maxBytes: number): Promise<Buffer> {
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

/**
 * A refusal of a whole batch is delayed: our parts never send such a batch, and a client that does cannot keep the process busy with it.
 */
const delayRefusal = () => pause(1_000, undefined, { ref: false });

/** Returns the calls of a `CallRequest`. If there are too many, the batch is refused before the next call is read. */
function readCalls(bytes: Buffer): BatchCall[] {
  const calls: BatchCall[] = [];
  const elements = readElements((element) => {
    calls.push(readCall(element));
    checkCount(calls.length);
  });
  elements.take(bytes);
  if (!elements.isWhole()) throw unreadable();
  checkCount(calls.length);
  return calls;
}

function readCall(element: Buffer): BatchCall {
  try {
    return decodeCall(element);
  } catch (error) {
    throw unreadable(error);
  }
}

function checkCount(calls: number): void {
  if (calls > MAX_BATCH_CALLS) {
    throw new ConnectError(`a batch holds at most ${MAX_BATCH_CALLS} calls`, Code.ResourceExhausted);
  }
  if (calls === 0) throw new ConnectError("a batch holds at least one call", Code.InvalidArgument);
}

/** Answers the call at index `at` of its batch as if it had come alone. */
async function answerCall(methods: UnaryMethods, call: BatchCall, values: ContextValues, at: number) {
  try {
    const method = methods.get(call.path);
    if (!method) throw new ConnectError(`There is no ${call.path}.`, Code.Unimplemented);
    return toAnswer(at, await method(new Headers(call.headers), call.message, values));
  } catch (error) {
    return toAnswer(at, failedCall(error));
  }
}

function toAnswer(call: number, { status, type, body, headers = {} }: UnaryAnswer): BatchAnswer {
  return { call, status, contentType: type, body, headers };
}

/** Serves `BatchService.Call` to clients of gRPC and of JSON through the library: it answers once all its calls are answered. */
export function batchCall(methods: UnaryMethods) {
  return async ({ calls }: CallRequest, { values }: Pick<HandlerContext, "values">): Promise<CallResponse> => {
    try {
      checkCount(calls.length);
    } catch (error) {
      await delayRefusal();
      throw error;
    }
    const answers = calls.map((call, at) => inTime(call, at, answerCall(methods, call, values, at)));
    return create(CallResponseSchema, { answers: await Promise.all(answers) });
  };
}

/** Returns the answer, or, at the call's own deadline, an error, so that the call no longer holds up the others. */
function inTime({ headers }: BatchCall, at: number, answer: Promise<BatchAnswer>): Promise<BatchAnswer> {
  const { timeoutMs } = parseTimeout(headers[TIMEOUT_HEADER] ?? null, MAX_TIMER_MS);
  if (timeoutMs === undefined) return answer;
  const late = new ConnectError("the operation timed out", Code.DeadlineExceeded);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(toAnswer(at, failedCall(late))), Math.min(timeoutMs, MAX_TIMER_MS));
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
