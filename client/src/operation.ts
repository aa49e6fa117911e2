import { checkedRetries, checkedTimeout, invalidArgument, type Settings } from "./config.js";

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

/** The request of an operation. */
export interface RawOperation {
  method: "GET" | "POST" | "DELETE";
  /** The segments of the path below the base URL, such as `["labels", id, "void"]`. */
  path: readonly string[];
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** Sent as JSON with `POST`. */
  body?: unknown;
}

/** One operation of the API. */
export interface Operation extends RawOperation {
  /** The content of a successful response: `data`, `data` with a cursor, a PDF, or any of them as bytes. */
  answers: "data" | "page" | "file" | "raw";
  options: WriteOptions | undefined;
}

/** A request. It is built before the first attempt, so all attempts send the same. */
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

/** The headers that the client sets itself, and those of the connection. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["authorization", "idempotency-key", "content-type", "accept", "user-agent"],
  ...["host", "content-length", "connection", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer", "expect"],
]);

/** Checks the arguments and builds the request. */
export function outgoing(operation: Operation, { baseUrl, timeoutMs, maxRetries }: Settings): Outgoing {
  const { method, path, query, body, answers, options } = operation;
  const idempotencyKey = method === "GET" ? undefined : checkedKey(options?.idempotencyKey);
  return {
    url: `${baseUrl}${path.map(toSegment).join("")}${toQuery(query)}`,
    method,
    headers: {
      ...checkedHeaders(options?.headers),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(method === "POST" && { "content-type": "application/json" }),
    },
    body: method === "POST" ? toJson(body) : undefined,
    answers,
    idempotencyKey,
    signal: checkedSignal(options?.signal),
    timeoutMs: checkedTimeout(options?.timeoutMs ?? timeoutMs, "timeoutMs"),
    retries: checkedRetries(options?.retries ?? maxRetries, "retries"),
  };
}

function checkedKey(given: string | undefined): string {
  if (given === undefined) return crypto.randomUUID();
  // `fetch` trims header values and throws if they are not Latin-1, so the server would see a different key or no key.
  if (typeof given !== "string" || !/^[!-~]([ -~]{0,126}[!-~])?$/.test(given))
    throw invalidArgument(
      "idempotencyKey must be 1 to 128 printable ASCII characters, with no space at the start or end.",
    );
  return given;
}

/** The headers of one call, with lower-case names. Values may be secret, so no error repeats them. */
function checkedHeaders(given: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  if (typeof given !== "object" || given === null || Symbol.iterator in given)
    throw invalidArgument("headers must be an object that maps names to values.");
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower))
      throw invalidArgument(`headers: ${JSON.stringify(name)} is not a header name.`);
    if (RESERVED.has(lower)) throw invalidArgument(`headers cannot set ${lower}${alternativeTo(lower)}.`);
    if (Object.hasOwn(headers, lower)) throw invalidArgument(`headers contains ${lower} twice.`);
    // `fetch` trims values, and throws if they are not Latin-1, which looks like a lost connection.
    if (typeof value !== "string" || !/^[!-~]([ -~]*[!-~])?$/.test(value))
      throw invalidArgument(`headers: ${lower} must be printable ASCII, with no space at the start or end.`);
    headers[lower] = value;
  }
  return headers;
}

function alternativeTo(name: string): string {
  if (name === "idempotency-key") return ": use the option idempotencyKey";
  if (name === "authorization") return ": use the client's option apiKey";
  return ": the client sets it";
}

function checkedSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  // Not `instanceof`: other realms and polyfills have their own AbortSignal.
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    throw invalidArgument("signal must be an AbortSignal.");
  return signal;
}

function toSegment(segment: string): string {
  // A URL parser resolves `..`, even percent-encoded, and an empty ID would address the list.
  if (typeof segment !== "string" || /^(\.|%2e){0,2}$/i.test(segment))
    throw invalidArgument(`${JSON.stringify(segment)} is not a valid ID.`);
  try {
    return `/${encodeURIComponent(segment)}`;
  } catch (cause) {
    throw invalidArgument(`${JSON.stringify(segment)} is not a valid ID.`, cause);
  }
}

function toQuery(query: Operation["query"] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function toJson(body: unknown): string {
  try {
    const text = JSON.stringify(body, refuseNonFinite);
    if (text !== undefined) return text;
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw invalidArgument(`The input cannot be written as JSON: ${reason}`, cause);
  }
  throw invalidArgument("The input is missing.");
}

/** NaN and infinite numbers, which JSON.stringify would write as null. */
function refuseNonFinite(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${name} is ${value}.`);
  return value;
}
