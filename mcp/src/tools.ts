import type { Tool } from "@modelcontextprotocol/server";
import { findFreeObjects, toPortableSchema } from "./portable-schema.js";

type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, { content: Record<string, { examples?: Record<string, { description?: string }> }> }>;
}

/** The part of the OpenAPI document that the tools need. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** An operation of the API as a tool, with the details of its request. */
export interface ApiTool {
  tool: Tool;
  method: "GET" | "POST" | "DELETE";
  /** The path below the base URL, such as `/labels/{id}`. */
  path: string;
  hasBody: boolean;
  /** The arguments that are objects, and that a call may send as JSON text. */
  objectsAsText: readonly string[];
  /** True for a write, which needs an idempotency key. */
  isWrite: boolean;
  /** The remedy for each of its errors, by code. */
  guidance: Readonly<Record<string, string>>;
}

const INTENT: Schema = {
  type: "string",
  maxLength: 200,
  description:
    "Leave it out, and a call with the same arguments is the same request, however often it is repeated. Only to make another one with the same content, " +
    "name what it is for, such as `second parcel of order 1001`, and keep that name for its repetitions.",
};

/**
 * The operations that neither return texts of third parties (the account's customers, carriers) nor send events or postal addresses outside, to
 * subscribers or carriers.
 */
const CLOSED = new Set([
  ...["getAccount", "getLabel", "listLabels"],
  ...["getSubscription", "listSubscriptions", "disableSubscription"],
]);

/** The tools that a server offers. */
export function offered(tools: readonly ApiTool[], { readOnly }: { readOnly: boolean }): ApiTool[] {
  return tools.filter(({ isWrite }) => !readOnly || !isWrite);
}

/** Reads the tools, one for each operation of the document. Their schemas are those with which the API validates, as far as the functions of models can state them. */
export function readTools(document: ApiDocument): ApiTool[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => toTool(document, path, method.toUpperCase(), operation)),
  );
}

function toTool(document: ApiDocument, path: string, method: string, operation: Operation): ApiTool {
  const { operationId: name, summary: title, description, requestBody, responses } = operation;
  const isWrite = method !== "GET";
  const parameters = operation.parameters
    .map((one) => resolve(document, one) as unknown as Parameter)
    .filter((one) => one.in !== "header");
  const body = resolve(document, requestBody?.content["application/json"].schema ?? {});
  const properties = {
    ...Object.fromEntries(parameters.map((one) => [one.name, describe(resolve(document, one.schema), one)])),
    ...(body.properties as Record<string, Schema> | undefined),
    ...(isWrite && { intent: INTENT }),
  };
  const required = [
    ...parameters.filter((one) => one.required).map((one) => one.name),
    ...((body.required as string[] | undefined) ?? []),
  ];
  const schema = { type: "object", properties, required };
  return {
    tool: {
      name,
      title,
      description,
      // The document is JSON.
      inputSchema: toPortableSchema(schema) as Tool["inputSchema"],
      annotations: {
        readOnlyHint: !isWrite,
        // Only these operations disable or void a resource.
        destructiveHint: method === "DELETE" || path.endsWith("/void"),
        idempotentHint: true,
        openWorldHint: !CLOSED.has(name),
      },
    },
    method: method as ApiTool["method"],
    path,
    hasBody: requestBody !== undefined,
    objectsAsText: findFreeObjects(schema),
    isWrite,
    guidance: Object.fromEntries(
      Object.values(responses).flatMap(({ content }) =>
        Object.entries(content["application/json"]?.examples ?? {}).map(([code, one]) => [code, one.description ?? ""]),
      ),
    ),
  };
}

function describe(schema: Schema, { description }: Parameter): Schema {
  return description === undefined ? schema : { ...schema, description };
}

/** Replaces the references in a part of the document with their targets. Its schemas are not circular. */
function resolve(document: ApiDocument, part: unknown): Schema {
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== "object" || one === null) return one;
    const { $ref, ...others } = one as Record<string, unknown>;
    const target = typeof $ref === "string" ? (visit(find(document, $ref)) as object) : {};
    return { ...target, ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, visit(value)])) };
  };
  return visit(part) as Schema;
}

function find(document: ApiDocument, ref: string): unknown {
  const [, , kind = "", name = ""] = ref.split("/");
  return document.components[kind]?.[name];
}
