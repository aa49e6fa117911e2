import { type ErrorCode, errors } from "@shipping/kit/errors";
import { z } from "zod";
import { examples } from "./examples.js";
import {
  componentSchemas,
  errorRef,
  headers,
  idempotencyKey,
  type JsonSchema,
  parameterSchema,
  schemaRef,
} from "./openapi-components.js";
import { BASE_PATH, idName, type ReadRoute, type Route, refusalsOf } from "./route.js";
import { routes } from "./routes.js";

const API_VERSION = "1.0.0";

const ABOUT = `Send orders and packed-parcel shipments, get rates and labels, download and void labels, look up tracking, and
receive signed webhook events. A key belongs to one environment, sandbox or live; sandbox labels are test PDFs that are not
valid postage, and no charge is ever made. What is not valid HTTP is refused with status 400 and the code \`bad_request\`, 431
if its headers exceed 16 KiB.`;

/** The machine-readable description of the API, derived from the table of routes and the schemas that validate. */
export function openApiDocument() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.1",
    info: { title: "Shipping Integration API", version: API_VERSION, description: ABOUT.replaceAll("\n", " ") },
    servers: [{ url: BASE_PATH }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `service_test_…` for the sandbox, `service_live_…` for live.",
        },
      },
      headers,
      parameters: { IdempotencyKey: idempotencyKey },
      schemas: componentSchemas(),
    },
  };
}

function operation(route: Route) {
  const name = route.handler.name;
  return {
    operationId: name,
    summary: route.summary,
    description: `Scope: \`${route.scope}\`.`,
    tags: [route.path.split("/")[1]],
    parameters: parameters(route),
    ...(route.method !== "GET" && route.body && { requestBody: requestBody(route.body, examples[name]?.body) }),
    responses: { [route.status]: success(route), ...failures(route) },
  };
}

function parameters(route: Route): unknown[] {
  const inPath = route.id
    ? [{ name: idName(route), in: "path", required: true, schema: parameterSchema(route.id) }]
    : [];
  if (route.method !== "GET") return [...inPath, { $ref: "#/components/parameters/IdempotencyKey" }];
  return [...inPath, ...queryParameters(route)];
}

function queryParameters({ query }: ReadRoute): unknown[] {
  const properties = query ? parameterSchema(query).properties : {};
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema,
  }));
}

function requestBody(schema: z.ZodType, example: unknown) {
  return { required: true, content: { "application/json": { schema: schemaRef(schema), example } } };
}

function success(route: Route) {
  const isReplayable = route.method !== "GET";
  return {
    description: route.summary,
    headers: headersOf(["RateLimit", "RateLimit-Policy", ...(isReplayable ? (["Idempotency-Replayed"] as const) : [])]),
    content: content(route),
  };
}

function content(route: Route) {
  if (route.answers === "application/pdf")
    return { "application/pdf": { schema: { type: "string", format: "binary" } } };
  const example: Record<string, unknown> = { data: examples[route.handler.name]?.data };
  const properties: JsonSchema = { data: dataSchema(route.answers) };
  if (route.method === "GET" && route.query) {
    properties.data = { type: "array", items: dataSchema(route.answers) };
    properties.next_cursor = {
      type: ["string", "null"],
      description: "The `after` of the next page; null on the last one.",
    };
    example.next_cursor = null;
  }
  const schema = { type: "object", properties, required: Object.keys(properties) };
  return { "application/json": { schema, example } };
}

function dataSchema(answers: z.ZodType): JsonSchema {
  return answers instanceof z.ZodArray
    ? { type: "array", items: schemaRef(answers.element as z.ZodType) }
    : schemaRef(answers);
}

const RETRYABLE: readonly ErrorCode[] = ["idempotency_in_progress", "rate_limited", "service_unavailable"];

function failures(route: Route) {
  const codesOf = new Map<number, ErrorCode[]>();
  for (const code of refusalsOf(route)) {
    const { status } = errors[code];
    codesOf.set(status, [...(codesOf.get(status) ?? []), code]);
  }
  const responses = [...codesOf].map(([status, codes]) => {
    const names: (keyof typeof headers)[] = status === 401 ? ["WWW-Authenticate"] : ["RateLimit", "RateLimit-Policy"];
    if (codes.some((code) => RETRYABLE.includes(code))) names.push("Retry-After");
    const response = {
      description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(" "),
      headers: headersOf(names),
      content: { "application/json": { schema: errorRef, examples: errorExamples(codes) } },
    };
    return [status, response] as const;
  });
  return Object.fromEntries(responses);
}

function errorExamples(codes: readonly ErrorCode[]) {
  const examplesByCode = codes.map((code) => {
    const fields = [{ path: "to.country", message: "must be two letters A-Z" }];
    const isFields = code === "invalid_request";
    const message = isFields ? "to.country: must be two letters A-Z" : errors[code].message;
    const value = {
      error: { code, message, request_id: "req_krugkidnfzsxg5lmmqqgc3tpoa", ...(isFields && { fields }) },
    };
    return [code, { value }] as const;
  });
  return Object.fromEntries(examplesByCode);
}

function headersOf(names: readonly (keyof typeof headers)[]) {
  const all = ["X-Request-Id", ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
