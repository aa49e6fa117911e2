import type { FieldError } from "@shipping/kit/errors";
import type { ErrorCode } from "@shipping/proto/errors";
import type { z } from "zod";
import type { Scope } from "../api-key.js";

export const BASE_PATH = "/api/v1";

/** The ID of the resource in a response, as a runtime expression of OpenAPI links. */
export const ANSWERED_ID = "$response.body#/data/id";

/** An operation that can follow another one. Its parameters are runtime expressions over the other's response. */
interface Link {
  /** The `operationId` of the operation. */
  to: string;
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
  /** The name of the operation in the OpenAPI document, and of the method of the clients. */
  operationId: string;
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

export interface ReadOperation<Query = unknown> extends Row {
  method: "GET";
  status: 200;
  /** The query parameters of a list. Other reads have none. */
  query?: z.ZodType<Query>;
}

export interface WriteOperation<Body = unknown> extends Row<Body> {
  method: "POST" | "DELETE";
  status: 200 | 201;
  /** The schema of the body; absent for DELETE. */
  body?: z.ZodType<Body>;
  /** Refuses live keys, because no carrier is configured for the live environment. */
  needsCarrier?: true;
}

export type Operation = ReadOperation | WriteOperation;

/** Declares a GET, which answers 200. */
export function read<Query>(row: Omit<ReadOperation<Query>, "method" | "status">): ReadOperation {
  return { method: "GET", status: 200, ...row } as ReadOperation;
}

export function write<Body>(row: WriteOperation<Body>): WriteOperation {
  return row as WriteOperation;
}

export const PLACEHOLDER = /\{(\w+)\}/;

/** The path in the syntax of Express: `/labels/{id}/void` becomes `/api/v1/labels/:id/void`. */
export function expressPath({ path }: Operation): string {
  return BASE_PATH + path.replace(PLACEHOLDER, ":$1");
}

export function pathWith({ path }: Operation, id: string): string {
  return path.replace(PLACEHOLDER, () => id);
}

export function idName({ path }: Operation): string | undefined {
  return PLACEHOLDER.exec(path)?.[1];
}

/** The decoded ID in the path of a request; empty if the path has none. */
export function readId(route: Operation, parameters: Readonly<Record<string, string>>): string {
  return parameters[idName(route) ?? ""] ?? "";
}

/** Describes the required body of a write. */
export function describeBody({ body }: Pick<WriteOperation, "body">): string {
  return body?.safeParse({}).success ? "the empty object {}" : "a JSON object";
}

export function listErrorCodes(route: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ["unauthorized", "missing_scope", "invalid_request", "rate_limited"];
  if (route.id) codes.push("not_found");
  if (route.method !== "GET") {
    codes.push("idempotency_conflict", "idempotency_in_progress");
    if (route.body) codes.push("invalid_json", "payload_too_large", "unsupported_media_type");
    if (route.needsCarrier) codes.push("carrier_not_configured");
  }
  return [...codes, ...(route.refusals ?? []), "internal_error", "service_unavailable"];
}
