/** A request as its client saw it. Times are milliseconds of `performance.now()` of the one process in which all clients run. */
export interface Operation {
  /** The index of the gateway that received it. */
  gateway: number;
  account: string;
  /** The name of the API key, not the key. */
  apiKey: string;
  method: "GET" | "POST" | "DELETE";
  /** The path below `/api/v1`, with the query. */
  path: string;
  idempotencyKey?: string;
  body?: unknown;
  /** The same for all pages that one reader read in a row. */
  walk?: number;
  startMs: number;
  /** Infinite without a response: the request may be executed at any later time. */
  endMs: number;
  /** 0 without a response. */
  status: number;
  replayed: boolean;
  /** The body of the response, except that of a file. */
  text: string;
}

/** A request of a webhook, as its receiver saw it. */
export interface Arrival {
  account: string;
  eventId: string;
  atMs: number;
  text: string;
}

/** A successful revocation of an API key. */
export interface Revocation {
  apiKey: string;
  startMs: number;
  endMs: number;
}

/** A time with a fault, or until recovery from it. */
export interface Disturbance {
  name: string;
  fromMs: number;
  toMs: number;
}

/** The observations of clients, receivers and operators of one platform. */
export interface History {
  operations: Operation[];
  arrivals: Arrival[];
  revocations: Revocation[];
  disturbances: Disturbance[];
}

/** A violated promise of the platform, with the part of the history that proves it. */
export interface Anomaly {
  rule: string;
  /** The subject, such as an ID. */
  subject: string;
  seen: readonly string[];
}

/** The members of a public resource that a history judges. */
export interface Resource {
  id: string;
  object: string;
  status: string;
  [member: string]: unknown;
}

/** The outcome of an operation according to its response: `unknown` if it may have been executed, now or later. */
export type Outcome = "done" | "refused" | "unknown" | "not admitted";

/** The outcome. A request that gave up waiting for an equal one has executed nothing. */
export function outcomeIn(operation: Operation): Outcome {
  const { status } = operation;
  if (status === 0 || status >= 500) return "unknown";
  if (status === 401 || status === 403 || status === 429) return "not admitted";
  if (status < 300) return "done";
  return codeIn(operation) === "idempotency_in_progress" ? "not admitted" : "refused";
}

/** The code of an error, empty if there is none. */
export function codeIn({ text }: Operation): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? "";
}

/** The resource of a successful response; undefined for rates and files. */
export function resourceIn({ text }: Operation): Resource | undefined {
  if (!text.startsWith('{"data":{')) return undefined;
  return JSON.parse(text).data;
}

/** The resources of a page. */
export function pageIn({ text }: Operation): { data: Resource[]; next_cursor: string | null } {
  return JSON.parse(text);
}

const WORTH_SHOWING = /"(id|status|label_id|shipment_id|reference|voided_at|disabled_at|code)":"[^"]*"/g;

/** One line about an operation: time, gateway, request, and the informative part of the response. */
export function lineAbout(operation: Operation): string {
  const { startMs, endMs, gateway, method, path, idempotencyKey, status, replayed, text } = operation;
  const end = endMs === Number.POSITIVE_INFINITY ? "?" : inSeconds(endMs);
  const key = idempotencyKey === undefined ? "" : ` key ${idempotencyKey}`;
  const said = (text.slice(0, 2_000).match(WORTH_SHOWING) ?? []).slice(0, 6).join(" ");
  const answer = status === 0 ? "no answer" : `${status}${replayed ? " replayed" : ""} ${said}`;
  return `${inSeconds(startMs)}–${end} s, gateway ${gateway + 1}: ${method} ${path}${key}: ${answer}`;
}

/** One line about the arrival of an event. */
export function lineAboutArrival({ atMs, eventId, text }: Arrival): string {
  const said = (text.match(WORTH_SHOWING) ?? []).slice(0, 6).join(" ");
  return `${inSeconds(atMs)} s, receiver: ${eventId} ${said}`;
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
