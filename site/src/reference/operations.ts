import { type Operation as ApiOperation, BASE_PATH } from "@shipping/api/operations/operation";
import { operations as apiOperations } from "@shipping/api/operations/operations";
import type { ErrorCode } from "@shipping/proto/errors";
import {
  describeField,
  describeFields,
  type Field,
  refName,
  resolve,
  type Schema,
  type Schemas,
} from "../guides/schema-fields.js";
import type { Section } from "../guides/search-index.js";

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
  "application/json"?: {
    schema: Schema;
    example?: unknown;
    examples?: Record<string, { value: { error: { code: ErrorCode; message: string } } }>;
  };
  "application/pdf"?: { schema: Schema };
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

export interface OperationDocument {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Schemas; parameters: Record<string, Parameter>; headers: Record<string, Header> };
}

export interface RequestParameter {
  in: Parameter["in"];
  field: Field;
  example?: string | undefined;
}

export interface Refusal {
  status: number;
  code: ErrorCode;
  message: string;
  body: unknown;
}

export interface Operation {
  /** The `operationId`. It is in the URL of the page, so it does not change. */
  id: string;
  href: string;
  route: ApiOperation;
  /** The path on this host, with `{id}` as placeholder. */
  path: string;
  parameters: RequestParameter[];
  body?: { fields: Field[]; example: unknown };
  answer: { status: number; isPdf: boolean; fields: Field[]; example?: unknown; headers: Field[] };
  refusals: Refusal[];
  /** IDs of operations that can follow it. */
  next: string[];
}

export interface Resource {
  name: string;
  about: string;
  operations: Operation[];
}

/** Describes all operations by resource, in the order of the table of endpoints. */
export function describeResources(document: OperationDocument): Resource[] {
  const operations = apiOperations.map((route) => describeOperation(route, document));
  return document.tags.map(({ name, description }) => ({
    name,
    about: description,
    operations: operations.filter(({ route }) => route.path.split("/")[1] === name),
  }));
}

function describeOperation(route: ApiOperation, { paths, components }: OperationDocument): Operation {
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
    parameters: described.parameters.map((one) => describeParameter(one, components)),
    ...(body && { body: { fields: describeFields(body.schema, components.schemas), example: body.example } }),
    answer: {
      status: route.status,
      isPdf: said === undefined,
      fields: said ? describeFields(said.schema, components.schemas) : [],
      example: said?.example,
      headers: Object.keys(answer?.headers ?? {}).map((name) => describeHeader(name, components)),
    },
    refusals: listRefusals(responses),
    next: Object.values(answer?.links ?? {}).map((link) => link.operationId),
  };
}

function describeParameter(
  one: Parameter | Ref,
  { schemas, parameters }: OperationDocument["components"],
): RequestParameter {
  const parameter = "$ref" in one ? parameters[refName(one)] : one;
  if (!parameter) throw new Error("The OpenAPI document refers to a parameter that does not exist.");
  const { name, schema, description, required, example } = parameter;
  const meant = { ...resolve(schema, schemas), ...(description && { description }) };
  return { in: parameter.in, field: describeField(name, meant, schemas, required), example };
}

function describeHeader(name: string, { headers, schemas }: OperationDocument["components"]): Field {
  const { description = "", schema = {} } = headers[name] ?? {};
  return describeField(name, { ...schema, description }, schemas, true);
}

function listRefusals(responses: DocumentOperation["responses"]): Refusal[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content["application/json"]?.examples ?? {}).map(({ value }) => {
      const { code, message } = value.error;
      return { status: Number(status), code, message, body: value };
    }),
  );
}

/** The search index of operations: method, path, ID and description, then field names and error codes. */
export function searchSections(resources: readonly Resource[]): Section[] {
  return resources.flatMap(({ operations }) => operations.map(toSection));
}

function toSection({ id, href, route, path, parameters, body, answer, refusals }: Operation): Section {
  const fields = [...parameters.map(({ field }) => field), ...(body?.fields ?? []), ...answer.fields];
  return {
    href,
    title: route.summary,
    of: "API reference",
    endpoint: `${route.method} ${path}`,
    text: `${route.purpose.replaceAll("`", "")} Operation ${id}, scope ${route.scope}.`,
    names: [...new Set(fields.flatMap(listNames))].join(", "),
    codes: refusals.map(({ code }) => code).join(", "),
  };
}

function listNames({ name, fields }: Field): string[] {
  return [name, ...fields.flatMap(listNames)];
}
