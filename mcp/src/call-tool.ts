import { createHmac } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { type RawAnswer, type RawOperation, Shipping, ShippingError } from "shipping-client";
import type { ApiTool } from "./tools.js";
import { MCP_VERSION } from "./version.js";

/** How the tools reach the API, and what they may do. */
export interface Access {
  /** The base URL, ending in `/api/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Whether tools may write with a live key. */
  allowLive: boolean;
  /** Sends the requests. The default is the runtime's own `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** How many times a call sends its request at most. The default is 4. */
  attempts?: number;
  /** The longest wait in seconds for which the API may ask before the next attempt. The default is 5. */
  maxWaitSeconds?: number;
  /** The timeout of an attempt in milliseconds. The default is 12,000: the API answers within ten seconds. */
  attemptMs?: number;
  /** Aborts the call, also while it waits between attempts. */
  signal?: AbortSignal | undefined;
}

/** The successful response of the API to a tool call. */
export interface ApiAnswer extends RawAnswer {
  /** Names the response as a resource, such as `shipping://api/v1/labels/lbl_…/file`. */
  uri: string;
  /** Whether it is the response to an earlier call with the same arguments. */
  isReplay: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** A tool, and the request that a call sends, or a text that says why it sends none. */
export interface ToolCall {
  api: ApiTool;
  request: ToolRequest | string;
}

interface ToolRequest extends Pick<RawOperation, "method" | "path" | "query" | "body"> {
  idempotencyKey: string | undefined;
}

/** The URI of an object of the API begins with this, wherever the API is. */
const API_URI = "shipping://api/v1";

/** The URI of a label's file, as a template and as a pattern. */
export const LABEL_FILE = {
  template: `${API_URI}/labels/{id}/file`,
  pattern: /^shipping:\/\/api\/v1\/labels\/([^/]{1,255})\/file$/,
};

/** Hosts give up a call after a minute. */
const CALL_MS = 45_000;
const MAX_WAIT_SECONDS = 5;

/**
 * Makes the request of a tool call. The idempotency key of a write is derived from the API key, the tool and its arguments, so the same call is the same
 * request, also in another process and after years.
 */
export function readCall(access: Pick<Access, "apiKey" | "allowLive">, api: ApiTool, given: Arguments): ToolCall {
  const { intent, ...args } = withObjects(given, api.objectsAsText);
  if (api.isWrite && isLive(access.apiKey) && !access.allowLive)
    return {
      api,
      request: "The API key is a live key, and this server only writes with sandbox keys (`service_test_…`).",
    };
  const { path, rest, missing } = fillPath(api.path, args);
  if (missing) return { api, request: `\`${missing}\` must be an ID, as text.` };
  // The API refuses unknown parameters, with the reason.
  const query = api.hasBody ? undefined : Object.fromEntries(Object.entries(rest).map(([n, v]) => [n, String(v)]));
  const idempotencyKey = api.isWrite ? toIdempotencyKey(access, api.tool.name, args, intent) : undefined;
  return { api, request: { method: api.method, path, query, body: rest, idempotencyKey } };
}

/** The arguments with the objects that were sent as text. Other text stays, and the API says what is wrong with it. */
function withObjects(args: Arguments, names: readonly string[]): Arguments {
  const objects = names.map((name) => [name, readObject(args[name])] as const).filter(([, object]) => object);
  return objects.length === 0 ? args : { ...args, ...Object.fromEntries(objects) };
}

function readObject(text: unknown): object | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Sends the request of a tool call, and repeats it where that may help. A text says why there is no response. */
export async function sendCall(access: Access, { api, request }: ToolCall): Promise<ApiAnswer | string> {
  if (typeof request === "string") return request;
  const { idempotencyKey, ...operation } = request;
  // `AbortSignal.any` is not used, because Node 20 can collect its timeouts before they end.
  const ended = new AbortController();
  const end = () => ended.abort(access.signal?.reason ?? new Error("it took too long"));
  const timer = setTimeout(end, CALL_MS);
  access.signal?.addEventListener("abort", end);
  try {
    const call = clientOf(access).request(operation, { idempotencyKey, signal: ended.signal });
    const { data, response } = await call.withResponse();
    return { ...data, uri: `${API_URI}/${operation.path.join("/")}`, isReplay: response.replayed };
  } catch (error) {
    if (error instanceof ShippingError) return explain(error, api);
    throw error;
  } finally {
    clearTimeout(timer);
    access.signal?.removeEventListener("abort", end);
  }
}

/** Reads the account of the API key, as JSON. */
export async function readAccount(access: Access): Promise<string> {
  const { bytes } = await clientOf(access).request({ method: "GET", path: ["account"] }, { signal: access.signal });
  return Buffer.from(bytes).toString();
}

function clientOf({ apiKey, baseUrl, attempts = 4, attemptMs = 12_000, ...access }: Access): Shipping {
  const { fetch = globalThis.fetch, maxWaitSeconds = MAX_WAIT_SECONDS } = access;
  return new Shipping({
    ...{ apiKey, baseUrl, maxRetries: attempts - 1, timeoutMs: attemptMs, maxWaitSeconds },
    // Whoever runs this server has checked the URL, or serves the API itself.
    allowHttp: true,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...USER_AGENT } }),
  });
}

const USER_AGENT = { "user-agent": `shipping-mcp/${MCP_VERSION}` };

function isLive(apiKey: string): boolean {
  return apiKey.startsWith("service_live_");
}

const REPEAT = "Call this tool again with the same arguments: it is the same request, and happens once.";

/** Says how a request failed, and what the agent can do. */
function explain({ code, message, status, requestId, fields, cause }: ShippingError, api: ApiTool): string {
  if (status === undefined) return `No answer from the API (${rootOf(cause)?.message ?? message}). ${REPEAT}`;
  const refusal = { code, message, request_id: requestId, ...(fields.length > 0 && { fields }) };
  const isRepeatable = status >= 500 || status === 429;
  return [
    `The API answered ${status}.`,
    JSON.stringify({ error: refusal }).slice(0, 10_000),
    `What to do: ${api.guidance[code] ?? "see the documentation."}`,
    ...(isRepeatable ? [REPEAT] : []),
  ].join("\n");
}

/** The first cause of an error: `fetch` only says that it failed. */
function rootOf(cause: unknown): Error | undefined {
  if (!(cause instanceof Error)) return undefined;
  return rootOf(cause.cause) ?? cause;
}

export function isPdf({ contentType }: ApiAnswer): boolean {
  return contentType.startsWith("application/pdf");
}

/** A note for agents beside a replayed response. */
export const REPLAYED =
  "This call was made before with these arguments, and this is its answer of then: nothing was done again, and the resource may have changed since. To make another one with the same content, pass `intent`.";

/** The result of a call: the object as text, for hosts that read only text, and as it is; a PDF, and a text about it; or the text of a failure. */
export function toResult(answer: ApiAnswer | string): CallToolResult {
  if (typeof answer === "string") return { isError: true, content: [{ type: "text", text: answer }] };
  const { bytes, isReplay } = answer;
  if (isPdf(answer)) {
    const text = `${describeFile(answer)} This result contains it, too, but not every host shows it.`;
    return {
      content: [
        { type: "text", text },
        { type: "resource", resource: toBlob(answer) },
      ],
    };
  }
  const text = Buffer.from(bytes).toString();
  const content: CallToolResult["content"] = [{ type: "text", text }];
  if (isReplay) content.push({ type: "text", text: REPLAYED });
  return { content, structuredContent: JSON.parse(text) };
}

/** A PDF as the contents of a resource. */
export function toBlob({ bytes, uri }: ApiAnswer) {
  return { uri, mimeType: "application/pdf", blob: Buffer.from(bytes).toString("base64") };
}

function describeFile({ bytes, uri }: ApiAnswer): string {
  const path = uri.slice("shipping:/".length);
  return `A PDF (application/pdf) of ${bytes.length} bytes. It is the resource ${uri}, and a program downloads it with GET ${path} and the API key.`;
}

/** An ID of any form, but nothing that leads to another path. */
const SEGMENT = /^(?!\.{1,2}$)[!"$&-.0->@-~]{1,255}$/;

/** Puts the IDs into the segments of the path. `rest` are the other arguments. `missing` names an argument that is not a valid ID. */
function fillPath(template: string, args: Arguments) {
  const rest: Record<string, unknown> = { ...args };
  let missing: string | undefined;
  const path = template
    .slice(1)
    .split("/")
    .map((segment) => {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      if (name === undefined) return segment;
      const id = rest[name];
      delete rest[name];
      if (typeof id === "string" && SEGMENT.test(id)) return id;
      missing = name;
      return "";
    });
  return { path, rest, missing };
}

/**
 * Derives the idempotency key of a write. Anyone who knows the key can replay the response, which may contain the secret of a subscription. The HMAC
 * under the API key prevents others in the account from computing it from the request, which they can see.
 */
function toIdempotencyKey({ apiKey }: Pick<Access, "apiKey">, tool: string, args: Arguments, intent: unknown): string {
  const content = JSON.stringify(sorted([tool, args, intent ?? null]));
  return `mcp-${createHmac("sha256", apiKey).update(content).digest("base64url")}`;
}

/** Copies a value with the members of all objects sorted, because their order has no meaning in JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
