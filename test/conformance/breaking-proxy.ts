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

/** What a fault does to what passes by. */
export interface Breaking {
  sent?(sent: Sent): void;
  answered?(answered: Answered, sent: Sent): void;
}

/** One promise that is broken, and the check that sees it. */
export interface Fault {
  what: string;
  breaks: string;
  /** Checks without which there is nothing to see; they pass. */
  beside?: readonly string[];
  /** The path of the base URL, of the same length as the platform's, where that is what is broken. */
  basePath?: string;
  /** Starts without any state of another run. */
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

/** Changes the JSON that is sent for these operations. */
export const sending = (operation: string, edit: (json: Json) => void) => (): Breaking => ({
  sent: (sent) => {
    if (isOperation(operation, sent)) withJson(sent, edit);
  },
});

/** Changes all that is sent. */
export const sendingAll = (change: (sent: Sent) => void) => (): Breaking => ({ sent: change });

/** Changes the answers to these operations. */
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

/** Changes all answers. */
export const answeringAll = (change: (answered: Answered, sent: Sent) => void) => (): Breaking => ({
  answered: change,
});

/** Leaves a header out, of all answers or of those to one operation. */
export const dropHeader = (name: string, operation?: string): Fault["begin"] =>
  answeringAll((answered, sent) => {
    if (operation === undefined || isOperation(operation, sent)) delete answered.headers[name];
  });

/** Answers with another status, and the same error but for its code. */
export const turning = (from: number, to: number, operation?: string) => (): Breaking => ({
  answered: (answered, sent) => {
    if (answered.status === from && (operation === undefined || isOperation(operation, sent))) answered.status = to;
  },
});

/** Lets pass what was refused. */
export const permitting = (status: number, operation: string) =>
  answering(operation, (answered) => {
    if (answered.status !== status) return;
    Object.assign(answered, { status: 201, body: Buffer.from('{"data":{"id":"let-pass"}}') });
  });

/** Changes the JSON of all refusals. */
export const refusing = (edit: (error: Json) => void) =>
  answeringAll((answered) => {
    if (answered.status >= 400) withJson(answered, (json) => edit(json.error));
  });

/** A way to the platform on which a promise is broken. */
export interface BreakingProxy {
  url: string;
  /** Breaks nothing until told, and one promise at a time. */
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
    const { "content-length": _, "transfer-encoding": __, ...headers } = answered.headers;
    response.writeHead(answered.status, { ...headers, "content-length": answered.body.length }).end(answered.body);
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
