import type { CallOptions } from "@connectrpc/connect";
import type { ReadOperation, WriteOperation } from "@shipping/api/operations/operation";
import type { Actor, Caller, Claim } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import type { HttpAnswer } from "@shipping/kit/http/send-answer";
import type { Content } from "@shipping/kit/http/send-content";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Admission } from "../admission/admit.js";
import type { Owner } from "../idempotency/registry.js";
import type { EndpointDeps } from "./deps.js";

/** The request to a read's handler. `id` is empty if the path has none. */
export interface Read<Query = unknown> {
  caller: Caller;
  admission: Admission;
  id: string;
  query: Query;
}

/** How the gateway answers a read. */
export interface ReadHandling<Query = unknown> {
  handler(deps: EndpointDeps, request: Read<Query>, options: CallOptions): Promise<HttpAnswer | Content>;
}

/** The request to a write's handler. `id` is empty if the path has none. */
export interface Write<Body = unknown> {
  caller: Caller;
  claim: Claim;
  actor: Actor;
  id: string;
  input: Body;
}

/** The fields in which the schema found no fault, for the owner to check. */
export interface Check<Body = unknown> {
  caller: Caller;
  valid: Partial<Body>;
}

/** How the gateway executes a write. */
export interface WriteHandling<Body = unknown> {
  /** The service whose ledger stores the answer. */
  owner: Owner;
  /** Set for the void of a label: a member's has a line in the audit log. Lines of subscriptions come from webhooks. */
  isLogged?: true;
  /** Finds the invalid fields that only the owner can find. Called if the schema has found others, so that the 422 lists all of them. */
  check?(deps: EndpointDeps, request: Check<Body>, options: CallOptions): Promise<FieldError[]>;
  handler(
    deps: EndpointDeps,
    request: Write<Body>,
    options: CallOptions,
  ): Promise<{ outcome?: WriteOutcome | undefined }>;
}

export type ReadRoute = ReadOperation & ReadHandling;
export type WriteRoute = WriteOperation & WriteHandling;

/** An operation of the public API, and how the gateway answers it. */
export type Route = ReadRoute | WriteRoute;

const DATA_START = Buffer.from('{"data":');
const DATA_END = Buffer.from("}");

/** The answer with JSON that the owner rendered, copied unparsed under `data`: a replay is equal byte for byte. */
export function rendered({ data }: { data: Uint8Array }): HttpAnswer {
  return wrapped(data, DATA_END);
}

export function page({ data, nextCursor }: { data: Uint8Array; nextCursor?: string | undefined }): HttpAnswer {
  return wrapped(data, Buffer.from(`,"next_cursor":${JSON.stringify(nextCursor ?? null)}}`));
}

function wrapped(json: Uint8Array, end: Uint8Array): HttpAnswer {
  if (json.length === 0) throw new Error("The owner returned an empty answer.");
  return { type: "application/json", body: Buffer.concat([DATA_START, json, end]) };
}
