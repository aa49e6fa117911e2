import { create, type DescMethodUnary, type DescService, toBinary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes, parseTimeout, trailerMux } from "@connectrpc/connect/protocol-connect";
import {
  ERROR_TYPE,
  methodPath,
  readMessage,
  TIMEOUT_HEADER,
  UNARY_TYPE,
  type UnaryAnswer,
  UnaryResponse,
} from "./protocol.js";

type Invoke = ReturnType<Interceptor>;
type Request = Parameters<Invoke>[0] & { sent: Metadata; timeoutMs: number | undefined };
type UnaryHandler = (message: never, context: HandlerContext) => unknown;

/** Answers a call that has arrived completely. It never rejects: a failure is also an answer. */
export type UnaryMethod = (header: Headers, message: Uint8Array, contextValues: ContextValues) => Promise<UnaryAnswer>;
export type UnaryMethods = ReadonlyMap<string, UnaryMethod>;

// A client's deadline does not stop a handler; the limits of the handler's own statements do.
const neverAborted = new AbortController().signal;

/** Returns the unary methods that `routes` registers, by path, each inside the interceptors. */
export function unaryMethods(
  routes: (router: ConnectRouter) => void,
  interceptors: readonly Interceptor[],
): UnaryMethods {
  const found = new Map<string, UnaryMethod>();
  const router = {
    handlers: [],
    service(service: DescService, handlers: Record<string, UnaryHandler | undefined>) {
      for (const method of service.methods) {
        const handler = handlers[method.localName];
        if (method.methodKind !== "unary" || !handler) continue;
        found.set(methodPath(method), unaryMethod(method as DescMethodUnary, handler.bind(handlers), interceptors));
      }
      return router;
    },
    rpc: () => router,
  };
  routes(router as unknown as ConnectRouter);
  return found;
}

function unaryMethod(method: DescMethodUnary, handle: UnaryHandler, interceptors: readonly Interceptor[]): UnaryMethod {
  const service = method.parent;
  const call = async (request: Request) => {
    const message = create(method.output, (await handle(request.message as never, new CallContext(request))) as never);
    return new UnaryResponse(method, message, request.sent);
  };
  const invoke = interceptors.reduceRight<Invoke>((next, interceptor) => interceptor(next), call as unknown as Invoke);
  return async (header, bytes, contextValues) => {
    const sent = new Metadata();
    try {
      const request = {
        stream: false,
        service,
        method,
        requestMethod: "POST",
        url: methodPath(method),
        signal: neverAborted,
        header,
        contextValues,
        timeoutMs: timeoutIn(header),
        sent,
        message: readMessage(method.input, bytes),
      };
      const { message } = await invoke(request as unknown as Request);
      return { status: 200, type: UNARY_TYPE, body: toBinary(method.output, message as never), ...sent.toHeaders() };
    } catch (error) {
      return failedCall(error, sent);
    }
  };
}

/**
 * The headers and trailers that a handler sends. They are created on first use, because most handlers send none, and `Headers` cost more
 * than a small message.
 */
class Metadata {
  #header: Headers | undefined;
  #trailer: Headers | undefined;

  get header(): Headers {
    this.#header ??= new Headers();
    return this.#header;
  }

  get trailer(): Headers {
    this.#trailer ??= new Headers();
    return this.#trailer;
  }

  toHeaders(): Pick<UnaryAnswer, "headers"> {
    if (!this.#header && !this.#trailer) return {};
    return { headers: Object.fromEntries(trailerMux(this.header, this.trailer)) };
  }
}

function timeoutIn(header: Headers): number | undefined {
  const { timeoutMs, error } = parseTimeout(header.get(TIMEOUT_HEADER), Number.POSITIVE_INFINITY);
  if (error) throw error;
  return timeoutMs;
}

// An error from another part carries the headers of that part's answer. These are not passed on.
const ANSWERS_OWN = ["content-type", "content-length", "content-encoding", "date"];

/** Returns the answer to a call that failed. */
export function failedCall(error: unknown, sent = new Metadata()): UnaryAnswer {
  const failure =
    error instanceof ConnectError
      ? error
      : new ConnectError("internal error", Code.Internal, undefined, undefined, error);
  const metadata = [...failure.metadata].filter(([name]) => !ANSWERS_OWN.includes(name));
  for (const [name, value] of metadata) sent.header.set(name, value);
  const body = errorToJsonBytes(failure, undefined);
  return { status: codeToHttpStatus(failure.code), type: ERROR_TYPE, body, ...sent.toHeaders() };
}

/** This is a class, because an object literal would create its accessors anew for every call. */
class CallContext implements HandlerContext {
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly signal = neverAborted;
  readonly service: DescService;
  readonly method: HandlerContext["method"];
  readonly url: string;
  readonly requestHeader: Headers;
  readonly values: ContextValues;
  readonly timeoutMs: () => number | undefined;
  readonly #sent: Metadata;

  constructor({ service, method, url, header, contextValues, timeoutMs, sent }: Request) {
    const due = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    this.service = service;
    this.method = method;
    this.url = url;
    this.requestHeader = header;
    this.values = contextValues;
    this.timeoutMs = () => (due === undefined ? undefined : due - performance.now());
    this.#sent = sent;
  }

  get responseHeader(): Headers {
    return this.#sent.header;
  }

  get responseTrailer(): Headers {
    return this.#sent.trailer;
  }
}
