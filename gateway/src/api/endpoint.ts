import type { CallOptions } from "@connectrpc/connect";
import type { Caller, Claim } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import type { ErrorCode } from "@shipping/proto/errors";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { z } from "zod";
import type { Actor } from "../accounts/audit.js";
import type { Admission } from "../admission/admit.js";
import type { Scope } from "../admission/api-key.js";
import type { HttpAnswer } from "../http/send-answer.js";
import type { Owner } from "../idempotency/registry.js";
import type { EndpointDeps } from "./deps.js";

export const BASE_PATH = "/api/v1";

/** The ID of the resource in a response, as a runtime expression of OpenAPI links. */
export const ANSWERED_ID = "$response.body#/data/id";

/** An operation that can follow another one. Its parameters are runtime expressions over the other's response. */
interface Link {
  /** The handler of the operation. The name of the function is the `operationId` in the OpenAPI document. */
  to: { readonly name: string };
  parameters?: Readonly<Record<string, string>>;
  /** The members of the body. The document describes them in words, because swagger-parser refuses a link whose body is not a string. */
  body?: Readonly<Record<string, string>>;
}

/** A request, its response, and a field error of an invalid request. */
export interface Example<Body = unknown> {
  /** The ID in the path. */
  id?: string;
  body?: Body;
  /** The value of `data` in the response. */
  data?: unknown;
  invalid: FieldError;
  /** The message of the 404. */
  missing?: string;
}

/** A row of the specification's table of endpoints. */
interface Row<Body = unknown> {
  path: string;
  scope: Scope;
  summary: string;
  /** The purpose of the operation, in a sentence or two for the reference. */
  purpose: string;
  /** The guide about this operation, by its name below `/docs`. */
  guide: string;
  /** The example of this operation. The examples of all operations belong together, and tests send them. */
  example: Example<NoInfer<Body>>;
  leadsTo?: readonly Link[];
  /** The format of the ID in the path. Any other ID gets a 404 without a call to a service. */
  id?: z.ZodType<string>;
  /** The resource under `data`, or the file. */
  answers: z.ZodType | "application/pdf";
  /** Error codes of this operation in addition to those of every operation. */
  refusals?: readonly ErrorCode[];
}

/** The request to a read's handler. `id` is empty if the path has none. */
export interface Read<Query = unknown> {
  caller: Caller;
  admission: Admission;
  id: string;
  query: Query;
}

export interface ReadRoute<Query = unknown> extends Row {
  method: "GET";
  status: 200;
  owner: Owner | "tracking" | "gateway";
  /** The query parameters of a list. Other reads have none. */
  query?: z.ZodType<Query>;
  handler(deps: EndpointDeps, request: Read<Query>, options: CallOptions): Promise<HttpAnswer>;
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

export interface WriteRoute<Body = unknown> extends Row<Body> {
  method: "POST" | "DELETE";
  status: 200 | 201;
  /** The service whose ledger stores the answer. */
  owner: Owner;
  /** The schema of the body; absent for DELETE. */
  body?: z.ZodType<Body>;
  /** Finds the invalid fields that only the owner can find. Called if the schema has found others, so that the 422 lists all of them. */
  check?(deps: EndpointDeps, request: Check<Body>, options: CallOptions): Promise<FieldError[]>;
  /** Refuses live keys, because no carrier is configured for the live environment. */
  needsCarrier?: true;
  handler(
    deps: EndpointDeps,
    request: Write<Body>,
    options: CallOptions,
  ): Promise<{ outcome?: WriteOutcome | undefined }>;
}

export type Route = ReadRoute | WriteRoute;

/** Declares a GET, which answers 200. */
export function read<Query>(row: Omit<ReadRoute<Query>, "method" | "status">): ReadRoute {
  return { method: "GET", status: 200, ...row } as ReadRoute;
}

export function write<Body>(row: WriteRoute<Body>): WriteRoute {
  return row as WriteRoute;
}

export const PLACEHOLDER = /\{(\w+)\}/;

/** The path in the syntax of Express: `/labels/{id}/void` becomes `/api/v1/labels/:id/void`. */
export function expressPath({ path }: Route): string {
  return BASE_PATH + path.replace(PLACEHOLDER, ":$1");
}

export function pathWith({ path }: Route, id: string): string {
  return path.replace(PLACEHOLDER, () => id);
}

export function idName({ path }: Route): string | undefined {
  return PLACEHOLDER.exec(path)?.[1];
}

/** The decoded ID in the path of a request; empty if the path has none. */
export function readId(route: Route, parameters: Readonly<Record<string, string>>): string {
  return parameters[idName(route) ?? ""] ?? "";
}

/** Describes the required body of a write. */
export function describeBody({ body }: Pick<WriteRoute, "body">): string {
  return body?.safeParse({}).success ? "the empty object {}" : "a JSON object";
}

export function listErrorCodes(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = ["unauthorized", "missing_scope", "invalid_request", "rate_limited"];
  if (route.id) codes.push("not_found");
  if (route.method !== "GET") {
    codes.push("idempotency_conflict", "idempotency_in_progress");
    if (route.body) codes.push("invalid_json", "payload_too_large", "unsupported_media_type");
    if (route.needsCarrier) codes.push("carrier_not_configured");
  }
  return [...codes, ...(route.refusals ?? []), "internal_error", "service_unavailable"];
}

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
