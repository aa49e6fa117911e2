import type { ErrorCode } from "@shipping/proto/errors";
import { BASE_PATH, type Route } from "../api/endpoint.js";
import { routes } from "../api/endpoints/endpoints.js";
import type { Section } from "../guides/library.js";
import { type Field, fieldOf, fieldsOf, resolved, type Schema, type Schemas } from "../guides/schema-fields.js";

interface Ref {
  $ref: string;
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Schema;
  example?: string;
}

interface Header {
  description: string;
  schema: Schema;
}

interface Content {
  "application/json"?: { schema: Schema; example?: unknown; examples?: Record<string, { value: Refused }> };
  "application/pdf"?: { schema: Schema };
}

interface Refused {
  error: { code: ErrorCode; message: string };
}

interface Answer {
  headers: Record<string, Ref>;
  content: Content;
  links?: Record<string, { operationId: string }>;
}

interface DocumentOperation {
  operationId: string;
  parameters: (Parameter | Ref)[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
}

/** The parts of the OpenAPI document that describe operations. */
export interface OperationDocument {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Schemas; parameters: Record<string, Parameter>; headers: Record<string, Header> };
}

/** A parameter of a request, with its value in the examples. */
export interface RequestParameter {
  in: Parameter["in"];
  field: Field;
  example?: string | undefined;
}

/** A code that an operation can refuse with, and the answer that says it. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  message: string;
  body: unknown;
}

/** All that the reference says of an operation. */
export interface Operation {
  /** Its `operationId`, by which generated clients know it, too: the address of its page does not change. */
  id: string;
  href: string;
  route: Route;
  /** Its path on this host, with `{id}` where an id stands. */
  path: string;
  parameters: RequestParameter[];
  body?: { fields: Field[]; example: unknown };
  answer: { status: number; isPdf: boolean; fields: Field[]; example?: unknown; headers: Field[] };
  /** In the order of their statuses. */
  refusals: Refusal[];
  /** The operations that its success leads to, by their ids. */
  next: string[];
}

/** The operations on one kind of resource. */
export interface Resource {
  name: string;
  about: string;
  operations: Operation[];
}

/** The operations by resource, in the order of the table of endpoints. */
export function resourcesOf(document: OperationDocument): Resource[] {
  const operations = routes.map((route) => operationOf(route, document));
  return document.tags.map(({ name, description }) => ({
    name,
    about: description,
    operations: operations.filter(({ route }) => route.path.split("/")[1] === name),
  }));
}

function operationOf(route: Route, { paths, components }: OperationDocument): Operation {
  const described = paths[route.path]?.[route.method.toLowerCase()];
  if (!described) throw new Error(`The OpenAPI document has no ${route.method} ${route.path}.`);
  const { operationId: id, requestBody, responses } = described;
  const body = requestBody?.content["application/json"];
  const answer = responses[route.status];
  const said = answer?.content["application/json"];
  return {
    id,
    href: `/docs/reference/${id}`,
    route,
    path: BASE_PATH + route.path,
    parameters: described.parameters.map((one) => parameterOf(one, components)),
    ...(body && { body: { fields: fieldsOf(body.schema, components.schemas), example: body.example } }),
    answer: {
      status: route.status,
      isPdf: said === undefined,
      fields: said ? fieldsOf(said.schema, components.schemas) : [],
      example: said?.example,
      headers: Object.keys(answer?.headers ?? {}).map((name) => headerOf(name, components)),
    },
    refusals: refusalsIn(responses),
    next: Object.values(answer?.links ?? {}).map((link) => link.operationId),
  };
}

function parameterOf(one: Parameter | Ref, { schemas, parameters }: OperationDocument["components"]): RequestParameter {
  const parameter = "$ref" in one ? parameters[nameIn(one)] : one;
  if (!parameter) throw new Error("A parameter of the OpenAPI document leads nowhere.");
  const { name, schema, description, required, example } = parameter;
  const meant = { ...resolved(schema, schemas), ...(description && { description }) };
  return { in: parameter.in, field: fieldOf(name, meant, schemas, required), example };
}

function headerOf(name: string, { headers, schemas }: OperationDocument["components"]): Field {
  const { description = "", schema = {} } = headers[name] ?? {};
  return fieldOf(name, { ...schema, description }, schemas, true);
}

function refusalsIn(responses: DocumentOperation["responses"]): Refusal[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content["application/json"]?.examples ?? {}).map(({ value }) => {
      const { code, message } = value.error;
      return { status: Number(status), code, message, body: value };
    }),
  );
}

function nameIn({ $ref }: Ref): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

/** The text by which the search finds operations: method, path, ID and description, then the names of fields and error codes. */
export function searchSections(resources: readonly Resource[]): Section[] {
  return resources.flatMap(({ operations }) => operations.map(sectionOf));
}

function sectionOf({ id, href, route, path, parameters, body, answer, refusals }: Operation): Section {
  const fields = [...parameters.map(({ field }) => field), ...(body?.fields ?? []), ...answer.fields];
  return {
    href,
    title: route.summary,
    of: "API reference",
    endpoint: `${route.method} ${path}`,
    text: `${route.purpose.replaceAll("`", "")} Operation ${id}, scope ${route.scope}.`,
    names: [...new Set(fields.flatMap(namesOf))].join(", "),
    codes: refusals.map(({ code }) => code).join(", "),
  };
}

function namesOf({ name, fields }: Field): string[] {
  return [name, ...fields.flatMap(namesOf)];
}

/** What to do about each error, in a sentence or two. `docs/errors.md` has more. */
export const errorGuidance: Readonly<Record<ErrorCode, string>> = {
  bad_request: "Use an HTTP library to send the request.",
  invalid_json: "Send a body that is valid JSON.",
  unauthorized: "Send an active API key as `Authorization: Bearer …`.",
  missing_scope: "Use a key with this scope. You cannot change the scopes of a key: create another key.",
  not_found: "Check the ID. A key finds only records of its own account and environment.",
  idempotency_conflict: "Use a new key for a new request. To retry a request, send it unchanged.",
  idempotency_in_progress: "Wait for the seconds in `Retry-After`, then retry the request with the same key.",
  label_exists:
    "Retrieve the shipment: its `label_id` names the label. To replace it, create a new shipment with a new label.",
  shipment_voided: "Create a new shipment and a label for it.",
  label_voided: "Create a new shipment and a label for it.",
  webhook_limit_reached: "Disable a subscription that you no longer need.",
  payload_too_large: "Send at most 64 KiB.",
  unsupported_media_type: "Send `Content-Type: application/json` and an uncompressed body in UTF-8.",
  invalid_request: "Correct every field named in `fields` and send the request again. You can use the same key.",
  rate_limited: "Wait for the seconds in `Retry-After`, then retry the request.",
  internal_error:
    "Retry the request. For a write, use the same key. If it fails again, send the request ID to support.",
  carrier_not_configured: "Use a sandbox key. Rates and labels are not available in the live environment.",
  service_unavailable: "Wait for the seconds in `Retry-After`, then retry the request. For a write, use the same key.",
};
