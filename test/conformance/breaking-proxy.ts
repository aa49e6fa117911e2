import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request on its way to the platform; `path` is below the base URL. */
export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** An answer on its way back. */
export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A fault: how it changes requests and responses. */
export interface Breaking {
  sent?(sent: Sent): void;
  answered?(answered: Answered, sent: Sent): void;
}

/** One promise that is broken, and the check that detects it. */
export interface Fault {
  what: string;
  breaks: string;
  /** Checks that the fault depends on; they pass. */
  beside?: readonly string[];
  /** The path of the base URL, of the same length as the platform's, for faults of paths. */
  basePath?: string;
  /** Starts without state from another run. */
  begin(): Breaking;
}

// biome-ignore lint/suspicious/noExplicitAny: faults spoil bodies of every form.
type Json = any;

export const isOperation = (operation: string, { method, path }: Sent) => {
  const [verb, form = ""] = operation.split(" ");
  return method === verb && new RegExp(`^${form.replace(/\{id\}/, "[^/?]+")}(\\?|$)`).test(path);
};

export function jsonIn(body: Buffer): Json {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const withJson = (message: { body: Buffer }, edit: (json: Json) => void) => {
  const json = jsonIn(message.body);
  if (typeof json !== "object" || json === null) return;
  edit(json);
  message.body = Buffer.from(JSON.stringify(json));
};

/** Changes the JSON of requests to these operations. */
export const sending = (operation: string, edit: (json: Json) => void) => (): Breaking => ({
  sent: (sent) => {
    if (isOperation(operation, sent)) withJson(sent, edit);
  },
});

/** Changes all requests. */
export const sendingAll = (change: (sent: Sent) => void) => (): Breaking => ({ sent: change });

/** Changes the responses of these operations. */
export const answering = (operation: string, change: (answered: Answered) => void) => (): Breaking => ({
  answered: (answered, sent) => {
    if (isOperation(operation, sent)) change(answered);
  },
});

/** Changes the JSON of the successes of these operations, replays included unless told otherwise. */
export const editing = (operation: string, edit: (data: Json, body: Json) => void, which = () => true as boolean) =>
  answering(operation, (answered) => {
    if (answered.status < 300 && which()) withJson(answered, (json) => edit(json.data, json));
  });

/** A fault that sets members of the successes of an operation. Undefined removes a member. */
export const setting = (breaks: string, what: string, operation: string, members: Json): Fault => ({
  what,
  breaks,
  begin: editing(operation, (data) => void Object.assign(data, members)),
});

/** A fault that removes a member from the requests to an operation, as if nobody looked at it. */
export const ignoring = (breaks: string, what: string, operation: string, member: string): Fault => ({
  what,
  breaks,
  begin: sending(operation, (body) => void delete body[member]),
});

/** Changes all responses. */
export const answeringAll = (change: (answered: Answered, sent: Sent) => void) => (): Breaking => ({
  answered: change,
});

/** Removes a header from all responses or from those of one operation. */
export const dropHeader = (name: string, operation?: string): Fault["begin"] =>
  answeringAll((answered, sent) => {
    if (operation === undefined || isOperation(operation, sent)) delete answered.headers[name];
  });

/** Answers with another status, and the same error except for its code. */
export const turning = (from: number, to: number, operation?: string) => (): Breaking => ({
  answered: (answered, sent) => {
    if (answered.status === from && (operation === undefined || isOperation(operation, sent))) answered.status = to;
  },
});

/** Turns an error into a success. */
export const permitting = (status: number, operation: string) =>
  answering(operation, (answered) => {
    if (answered.status !== status) return;
    Object.assign(answered, { status: 201, body: Buffer.from('{"data":{"id":"let-pass"}}') });
  });

/** Changes the JSON of all errors. */
export const refusing = (edit: (error: Json) => void) =>
  answeringAll((answered) => {
    if (answered.status >= 400) withJson(answered, (json) => edit(json.error));
  });

/** A proxy to the platform that breaks a promise. */
export interface BreakingProxy {
  url: string;
  /** Breaks no promise until told to, and one at a time. */
  breakBy(breaking: Breaking): void;
  close(): Promise<void>;
}

/** Opens it in front of a URL, on a free port. */
export async function openBreakingProxy(target: string): Promise<BreakingProxy> {
  const base = new URL(target);
  let breaking: Breaking = {};
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").slice(base.pathname.length);
    const sent: Sent = { method: request.method ?? "", path, headers: headersOf(request), body: await bodyOf(request) };
    breaking.sent?.(sent);
    const answered = await forward(target, sent);
    breaking.answered?.(answered, sent);
    const { "content-length": announced, "transfer-encoding": _, ...headers } = answered.headers;
    const length = sent.method === "HEAD" ? announced : answered.body.length;
    response.writeHead(answered.status, { ...headers, ...(length && { "content-length": length }) }).end(answered.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base.pathname}`,
    breakBy: (next) => {
      breaking = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(target: string, { method, path, headers, body }: Sent): Promise<Answered> {
  const { "content-length": _, "transfer-encoding": __, connection: ___, host: ____, ...kept } = headers;
  const length = body.length > 0 ? { "content-length": String(body.length) } : {};
  const request = httpRequest(target + path, { method, headers: { ...kept, ...length } });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: headersOf(response), body: await bodyOf(response) };
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
