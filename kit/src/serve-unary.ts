import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { create, type DescMethodUnary, type DescService, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";

type Handler = ReturnType<typeof connectNodeAdapter>;
type Invoke = ReturnType<Interceptor>;
type Request = Parameters<Invoke>[0];
type UnaryHandler = (message: never, context: HandlerContext) => unknown;

interface Served {
  service: DescService;
  method: DescMethodUnary;
  invoke: Invoke;
}

const UNARY = "application/proto";
// A client's deadline does not stop a handler: that is for its statements' own limits.
const neverAborted = new AbortController().signal;

/**
 * Answers unary calls of the Connect protocol in binary, which are those of the platform's own parts, through the same handlers and
 * interceptors as the library, at a part of its cost; everything else it leaves to `others`.
 */
export function answerUnary(options: {
  routes(router: ConnectRouter): void;
  interceptors: readonly Interceptor[];
  maxBytes: number;
  others: Handler;
}): Handler {
  const served = unaryMethods(options.routes, options.interceptors);
  return (request, response) => {
    const method = isPlain(request as Http2ServerRequest) ? served.get(request.url ?? "") : undefined;
    if (!method) return options.others(request, response);
    void answer(method, request as Http2ServerRequest, response as Http2ServerResponse, options.maxBytes);
  };
}

function isPlain({ method, headers }: Http2ServerRequest): boolean {
  return (
    method === "POST" &&
    headers["content-type"] === UNARY &&
    headers["connect-protocol-version"] === "1" &&
    headers["content-encoding"] === undefined
  );
}

async function answer(
  served: Served,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  maxBytes: number,
): Promise<void> {
  const { status, type, body } = await answerOf(served, request, maxBytes);
  // Does nothing if the client has gone.
  response.writeHead(status, { "content-type": type, "content-length": body.length });
  response.end(body);
}

async function answerOf({ service, method, invoke }: Served, request: Http2ServerRequest, maxBytes: number) {
  try {
    const bytes = await bytesOf(request, maxBytes);
    const { message } = await invoke({
      stream: false,
      service,
      method,
      requestMethod: "POST",
      url: request.url,
      signal: neverAborted,
      header: headersOf(request),
      contextValues: createContextValues(),
      message: fromBinary(method.input, bytes),
    } as Request);
    return { status: 200, type: UNARY, body: toBinary(method.output, message as never) };
  } catch (error) {
    const failure = ConnectError.from(error, Code.Internal);
    const body = errorToJsonBytes(failure, undefined);
    return { status: codeToHttpStatus(failure.code), type: "application/json", body };
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
    request.on("aborted", () => reject(new ConnectError("the client has gone", Code.Canceled)));
    request.on("error", reject);
  });
}

function headersOf({ headers }: Http2ServerRequest): Headers {
  const named = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return new Headers(named.map(([name, value]) => [name, String(value)]));
}

/** The unary methods that `routes` registers, by path, each inside the interceptors. */
function unaryMethods(
  routes: (router: ConnectRouter) => void,
  interceptors: readonly Interceptor[],
): ReadonlyMap<string, Served> {
  const found = new Map<string, Served>();
  function add(method: DescMethodUnary, handle: UnaryHandler): void {
    const service = method.parent;
    const call = async (request: Request) => ({
      stream: false,
      service,
      method,
      header: new Headers(),
      trailer: new Headers(),
      message: create(method.output, (await handle(request.message as never, contextOf(request))) as never),
    });
    const invoke = interceptors.reduceRight<Invoke>(
      (next, interceptor) => interceptor(next),
      call as unknown as Invoke,
    );
    found.set(`/${service.typeName}/${method.name}`, { service, method, invoke });
  }
  const router = {
    handlers: [],
    service(service: DescService, handlers: Record<string, UnaryHandler | undefined>) {
      for (const method of service.methods) {
        const handler = handlers[method.localName];
        if (method.methodKind === "unary" && handler) add(method as DescMethodUnary, handler.bind(handlers));
      }
      return router;
    },
    rpc: () => router,
  };
  routes(router as unknown as ConnectRouter);
  return found;
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
