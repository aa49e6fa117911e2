import { createHmac } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ApiTool } from "./tools.js";

/** How the tools reach the API, and what they may do. */
export interface Access {
  /** The base URL, ending in `/api/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Whether tools may write with a live key. */
  allowLive: boolean;
  /** Whether the server offers only tools that read. */
  readOnly: boolean;
  fetch: typeof globalThis.fetch;
  /** How many times a call sends its request at most. The default is 4. */
  attempts?: number;
  /** The timeout of an attempt in milliseconds. The default is 12,000: the API answers within ten seconds. */
  attemptMs?: number;
  /** Aborts the call, also while it waits between attempts. */
  signal?: AbortSignal | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Hosts give up a call after a minute. */
const CALL_MS = 45_000;
const MAX_WAIT_SECONDS = 5;
const UNFINISHED = new Set([429, 500, 502, 503, 504]);

/**
 * Sends the request of a tool call, and repeats it where that may help. The idempotency key of a write is derived from the API key, the tool and its
 * arguments, so the same call is the same request, also in another process and after years.
 */
export async function callTool(access: Access, api: ApiTool, given: Arguments): Promise<CallToolResult> {
  const { intent, ...args } = given;
  if (api.isWrite && isLive(access.apiKey) && !access.allowLive)
    return failed("The API key is a live key, and this server only writes with sandbox keys (`service_test_…`).");
  const { path, rest, missing } = fillPath(api.path, args);
  if (missing) return failed(`\`${missing}\` must be an ID, as text.`);
  const request = {
    method: api.method,
    headers: {
      ...accessHeaders(access),
      ...(api.isWrite && { "Idempotency-Key": toIdempotencyKey(access, api.tool.name, args, intent) }),
      ...(api.hasBody && { "Content-Type": "application/json" }),
    },
    ...(api.hasBody && { body: JSON.stringify(rest) }),
  };
  const url = new URL(access.baseUrl + path);
  // The API refuses unknown parameters, with the reason.
  if (!api.hasBody) for (const [name, value] of Object.entries(rest)) url.searchParams.set(name, String(value));
  try {
    return await readAnswer(await sendRepeatedly(access, url, request), api, url.pathname);
  } catch (error) {
    const { message, cause } = error as Error;
    return failed(`No answer from the API (${cause instanceof Error ? cause.message : message}). ${REPEAT}`);
  }
}

const REPEAT = "Call this tool again with the same arguments: it is the same request, and happens once.";

export function accessHeaders({ apiKey }: Access): Record<string, string> {
  return { Authorization: `Bearer ${apiKey}`, "User-Agent": "shipping-mcp/1.0.0" };
}

export function isLive(apiKey: string): boolean {
  return apiKey.startsWith("service_live_");
}

async function sendRepeatedly(access: Access, url: URL, request: RequestInit): Promise<Response> {
  const { attempts = 4, attemptMs = 12_000, signal } = access;
  const endAt = performance.now() + CALL_MS;
  for (let attempt = 1; ; attempt++) {
    const leftMs = endAt - performance.now();
    const isLast = attempt === attempts || leftMs <= attemptMs;
    let wait = 2 ** attempt / 4;
    // `AbortSignal.any` is not used, because Node 20 can collect its timeouts before they end.
    const ended = new AbortController();
    const end = () => ended.abort(signal?.reason ?? new Error("it took too long"));
    const timer = setTimeout(end, Math.min(attemptMs, leftMs));
    signal?.addEventListener("abort", end);
    try {
      const response = await access.fetch(url, { ...request, signal: ended.signal, redirect: "error" });
      // The body is part of the attempt, because a response that ends in the middle has to be requested again.
      const body = await response.arrayBuffer();
      const whole = new Response(body, response);
      const after = Number(response.headers.get("retry-after") ?? wait);
      const isUnfinished =
        UNFINISHED.has(response.status) || (response.status === 409 && response.headers.has("retry-after"));
      if (!isUnfinished || isLast || !(after <= MAX_WAIT_SECONDS)) return whole;
      wait = Math.max(after, 0.1);
    } catch (error) {
      if (isLast || signal?.aborted) throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    }
    await new Promise((resolve) => setTimeout(resolve, wait * 1_000 * (0.5 + Math.random() / 2)));
  }
}

async function readAnswer(response: Response, api: ApiTool, path: string): Promise<CallToolResult> {
  if (response.headers.get("content-type") === "application/pdf") {
    const blob = Buffer.from(await response.arrayBuffer()).toString("base64");
    return {
      content: [{ type: "resource", resource: { uri: `shipping:/${path}`, mimeType: "application/pdf", blob } }],
    };
  }
  const text = await response.text();
  const answer = parseObject(text);
  const code = (answer?.error as { code?: unknown } | undefined)?.code;
  if (!response.ok || !answer) {
    const what = typeof code === "string" ? `What to do: ${api.guidance[code] ?? "see the documentation."}` : "";
    const isRepeatable = response.status >= 500 || response.status === 429;
    return failed(
      [`The API answered ${response.status}.`, text.slice(0, 10_000), what, isRepeatable && REPEAT]
        .filter(Boolean)
        .join("\n"),
    );
  }
  const content: CallToolResult["content"] = [{ type: "text", text }];
  if (response.headers.get("idempotency-replayed") === "true") content.push({ type: "text", text: REPLAYED });
  return { content, structuredContent: answer };
}

const REPLAYED =
  "This call was made before with these arguments, and this is its answer of then: nothing was done again, and the resource may have changed since. To make another one with the same content, pass `intent`.";

function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Puts the IDs into the path. `rest` are the other arguments. `missing` names an argument that is not a valid ID. */
function fillPath(template: string, args: Arguments) {
  const rest: Record<string, unknown> = { ...args };
  let missing: string | undefined;
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const id = rest[name];
    delete rest[name];
    if (typeof id === "string" && /^[\w-]{1,100}$/.test(id)) return id;
    missing = name;
    return "";
  });
  return { path, rest, missing };
}

/**
 * Derives the idempotency key of a write. Anyone who knows the key can replay the response, which may contain the secret of a subscription. The HMAC
 * under the API key prevents others in the account from computing it from the request, which they can see.
 */
function toIdempotencyKey({ apiKey }: Access, tool: string, args: Arguments, intent: unknown): string {
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
