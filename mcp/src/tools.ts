import type { Tool } from "@modelcontextprotocol/sdk/types.js";

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

/** What is read of the OpenAPI document. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** An operation of the API as a tool, and what its request is made of. */
export interface ApiTool {
  tool: Tool;
  method: string;
  /** Below the base URL, such as `/labels/{id}`. */
  path: string;
  hasBody: boolean;
  /** Of a write: it needs an idempotency key. */
  isWrite: boolean;
  /** What to do about each of its errors, by code. */
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
 * The operations that stay within the account. From all others, texts of its customers or of carriers come in, or events or addresses go out: to
 * the servers that subscribe, and to carriers.
 */
const CLOSED = new Set([
  ...["getAccount", "getLabel", "listLabels"],
  ...["getSubscription", "listSubscriptions", "disableSubscription"],
]);

/** The tools, one for each operation of the document, which has the schemas that the API validates with. */
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
  return {
    tool: {
      name,
      title,
      description,
      inputSchema: { type: "object", properties, required, additionalProperties: false },
      annotations: {
        readOnlyHint: !isWrite,
        // Nothing else ends or disables anything.
        destructiveHint: method === "DELETE" || path.endsWith("/void"),
        idempotentHint: true,
        openWorldHint: !CLOSED.has(name),
      },
    },
    method,
    path,
    hasBody: requestBody !== undefined,
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

/** A part of the document in which no reference is left. Those of its schemas lead to no circle. */
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
