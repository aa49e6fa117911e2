import "./text-encoding.js";
import { create, type DescMethodUnary, type DescService, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { pathOf, UNARY_TYPE, type UnaryAnswer } from "./protocol.js";

type Invoke = ReturnType<Interceptor>;
type Request = Parameters<Invoke>[0];
type UnaryHandler = (message: never, context: HandlerContext) => unknown;

/** Answers a call that has arrived completely. It never rejects: a failure is an answer, too. */
export type UnaryMethod = (headers: Headers, message: Uint8Array, contextValues: ContextValues) => Promise<UnaryAnswer>;

// A client's deadline does not stop a handler: that is for its statements' own limits.
const neverAborted = new AbortController().signal;

/** The unary methods that `routes` registers, by path, each inside the interceptors. */
export function unaryMethods(
  routes: (router: ConnectRouter) => void,
  interceptors: readonly Interceptor[],
): ReadonlyMap<string, UnaryMethod> {
  const found = new Map<string, UnaryMethod>();
  const router = {
    handlers: [],
    service(service: DescService, handlers: Record<string, UnaryHandler | undefined>) {
      for (const method of service.methods) {
        const handler = handlers[method.localName];
        if (method.methodKind !== "unary" || !handler) continue;
        found.set(pathOf(method), unaryMethod(method as DescMethodUnary, handler.bind(handlers), interceptors));
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
  const call = async (request: Request) => ({
    stream: false,
    service,
    method,
    header: new Headers(),
    trailer: new Headers(),
    message: create(method.output, (await handle(request.message as never, contextOf(request))) as never),
  });
  const invoke = interceptors.reduceRight<Invoke>((next, interceptor) => interceptor(next), call as unknown as Invoke);
  return async (header, bytes, contextValues) => {
    try {
      const request = {
        stream: false,
        service,
        method,
        requestMethod: "POST",
        url: pathOf(method),
        signal: neverAborted,
        header,
        contextValues,
        message: fromBinary(method.input, bytes),
      };
      const { message } = await invoke(request as Request);
      return { status: 200, type: UNARY_TYPE, body: toBinary(method.output, message as never) };
    } catch (error) {
      return failedCall(error);
    }
  };
}

/** The answer to a call that failed. */
export function failedCall(error: unknown): UnaryAnswer {
  const failure = ConnectError.from(error, Code.Internal);
  const body = errorToJsonBytes(failure, undefined);
  return { status: codeToHttpStatus(failure.code), type: "application/json", body };
}

function contextOf({ service, method, url, header, contextValues }: Request): HandlerContext {
  const sent = header.get("connect-timeout-ms");
  const due = sent === null ? undefined : performance.now() + Number(sent);
  return {
    service,
    method,
    url,
    requestMethod: "POST",
    protocolName: "connect",
    signal: neverAborted,
    timeoutMs: () => (due === undefined ? undefined : due - performance.now()),
    requestHeader: header,
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    values: contextValues,
  };
}
