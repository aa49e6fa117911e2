import { headersOf } from "./call-headers.js";
import { checkedRetries, checkedTimeout, refused, type Settings } from "./settings.js";

export interface ReadOptions {
  /** Ends the request, the wait before the next attempt, or a list between its pages. */
  signal?: AbortSignal | undefined;
  /** How long one attempt of this call may take, until the last byte of its response. Overrides the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
  /** How often the client repeats this call after a failure; 0 for never. Overrides the client's `maxRetries`. */
  retries?: number | undefined;
  /** Additional headers, such as `traceparent`. The client refuses those that it sets itself. */
  headers?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface WriteOptions extends ReadOptions {
  /**
   * Names this write permanently: 1 to 128 printable ASCII characters. However often you send it with this key, it is executed once, and you get the
   * same result. Without one, the client makes a key for its own retries.
   */
  idempotencyKey?: string | undefined;
}

/** One operation of the API, as a resource asks for it. */
export interface Operation {
  method: "GET" | "POST" | "DELETE";
  /** The segments of the path below the base URL. */
  path: readonly string[];
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  body?: unknown;
  /** What a good answer holds: `data`, `data` with a cursor, or a PDF. */
  answers: "data" | "page" | "file";
  options: WriteOptions | undefined;
}

/** An operation as it goes out: fixed before the first attempt, so that every attempt is equal. */
export interface Outgoing {
  url: string;
  method: Operation["method"];
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  answers: Operation["answers"];
  idempotencyKey: string | undefined;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  retries: number;
}

/** Checks all that the caller gave and fixes it. */
export function outgoing(operation: Operation, { baseUrl, timeoutMs, maxRetries }: Settings): Outgoing {
  const { method, path, query, body, answers, options } = operation;
  const idempotencyKey = method === "GET" ? undefined : keyOf(options?.idempotencyKey);
  return {
    url: `${baseUrl}${path.map(segmentOf).join("")}${queryOf(query)}`,
    method,
    headers: {
      ...headersOf(options?.headers),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(method === "POST" && { "content-type": "application/json" }),
    },
    body: method === "POST" ? jsonOf(body) : undefined,
    answers,
    idempotencyKey,
    signal: checkedSignal(options?.signal),
    timeoutMs: checkedTimeout(options?.timeoutMs ?? timeoutMs, "timeoutMs"),
    retries: checkedRetries(options?.retries ?? maxRetries, "retries"),
  };
}

function keyOf(given: string | undefined): string {
  if (given === undefined) return crypto.randomUUID();
  // `fetch` trims a header's value, and throws at what is not Latin-1: the server would see another key, or none.
  if (typeof given !== "string" || !/^[!-~]([ -~]{0,126}[!-~])?$/.test(given))
    throw refused("idempotencyKey must be 1 to 128 printable ASCII characters, with no space at the start or end.");
  return given;
}

function checkedSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  // Not `instanceof`: there are AbortSignals of other realms and packages.
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    throw refused("signal must be an AbortSignal.");
  return signal;
}

function segmentOf(segment: string): string {
  // An URL folds `..`, also where it is percent-encoded, and an empty id would name the list.
  if (typeof segment !== "string" || /^(\.|%2e){0,2}$/i.test(segment))
    throw refused(`${JSON.stringify(segment)} is not a valid ID.`);
  try {
    return `/${encodeURIComponent(segment)}`;
  } catch (cause) {
    throw refused(`${JSON.stringify(segment)} is not a valid ID.`, cause);
  }
}

function queryOf(query: Operation["query"] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function jsonOf(body: unknown): string {
  try {
    const text = JSON.stringify(body);
    if (text !== undefined) return text;
  } catch (cause) {
    throw refused("The input cannot be written as JSON.", cause);
  }
  throw refused("The input is missing.");
}
