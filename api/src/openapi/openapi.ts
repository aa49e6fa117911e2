import { readFileSync } from "node:fs";
import { z } from "zod";
import { guides } from "../guides.js";
import { BASE_PATH, idName, type Operation, type ReadOperation } from "../operations/operation.js";
import { operations } from "../operations/operations.js";
import {
  componentSchemas,
  headerRefs,
  headers,
  idempotencyKey,
  type JsonSchema,
  parameterSchema,
  refTo,
  schemaName,
  schemaRef,
} from "./components.js";
import { failures } from "./failures.js";

/** The version that the specification prescribes. It does not change until the specification does; the changelog identifies changes by date. */
const SPECIFIED_VERSION = "1.0.0";
const CHANGELOG = readFileSync(new URL("../../../docs/changelog.md", import.meta.url), "utf8");
const [, REVISION] = /^## (\d{4}-\d\d-\d\d)$/m.exec(CHANGELOG) ?? [];

const ABOUT = `Create orders and shipments, request rates, create, download and void labels, track parcels and
receive signed webhook events. An API key belongs to one environment, sandbox or live. Sandbox labels are test PDFs. They are not
valid postage and are always free. Text is stored exactly as you send it. A number with a fraction
or an exponent means the nearest double. Integers that double precision does not keep, numbers outside its range and lone surrogates are refused in every field. HEAD is answered as GET, without the body. A request that is not valid HTTP gets status 400 with the code \`bad_request\`, or 431
if its headers exceed 16 KiB.`;

/** The groups of operations, by the first part of their paths. */
const tags = [
  { name: "account", description: "The account of your API key, and its capabilities." },
  { name: "orders", description: "Orders of your customers. Optional." },
  { name: "shipments", description: "Packed parcels to ship." },
  { name: "rates", description: "Prices of labels. Sandbox only." },
  { name: "labels", description: "Labels and their PDF files. Sandbox only." },
  { name: "tracking", description: "Tracking status of labels. Sandbox only." },
  {
    name: "webhooks",
    description: "Subscriptions to signed events. The schemas whose names end in `Event` are what they deliver.",
  },
];

/** The OpenAPI document, derived from the table of operations and the schemas that validate requests. If the origin is unknown, it is "". */
export function openApiDocument(origin = "") {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of operations) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Shipping Integration API",
      version: SPECIFIED_VERSION,
      "x-revision": REVISION,
      description: ABOUT.replaceAll("\n", " "),
    },
    servers: [{ url: origin + BASE_PATH }],
    security: [{ apiKey: [] }],
    tags,
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key. It starts with `service_test_` for the sandbox and with `service_live_` for live.",
        },
      },
      headers,
      parameters: { IdempotencyKey: idempotencyKey },
      schemas: { ...componentSchemas(), ...responseSchemas() },
    },
  };
}

function operation(route: Operation) {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: description(route),
    tags: [route.path.split("/")[1]],
    parameters: parameters(route),
    ...(route.method !== "GET" && route.body && { requestBody: requestBody(route.body, route.example.body) }),
    responses: { [route.status]: success(route), ...failures(route) },
  };
}

function description({ purpose, scope, guide }: Operation): string {
  const title = guides.find(({ slug }) => slug === guide)?.title;
  return `${purpose}\n\nScope: \`${scope}\`. Guide: [${title}](/docs/${guide}).`;
}

function parameters(route: Operation): unknown[] {
  const { id, example } = route;
  const inPath = id
    ? [{ name: idName(route), in: "path", required: true, schema: parameterSchema(id), example: example.id }]
    : [];
  if (route.method !== "GET") return [...inPath, { $ref: "#/components/parameters/IdempotencyKey" }];
  return [...inPath, ...queryParameters(route)];
}

function queryParameters({ query }: ReadOperation): unknown[] {
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

function success(route: Operation) {
  const replayed = route.method === "GET" ? [] : (["Idempotency-Replayed"] as const);
  const ofFile = route.answers === "application/pdf" ? (["Content-Disposition", "ETag"] as const) : [];
  return {
    description: route.summary,
    headers: headerRefs(["RateLimit", "RateLimit-Policy", ...replayed, ...ofFile]),
    content: content(route),
    ...links(route),
  };
}

function links({ leadsTo }: Operation) {
  if (!leadsTo) return {};
  return {
    links: Object.fromEntries(leadsTo.map(({ to, parameters, body }) => [to, link(to, parameters, body)])),
  };
}

function link(operationId: string, parameters?: Readonly<Record<string, string>>, body = {}) {
  const members = Object.entries(body).map(([name, from]) => `\`${name}\` of the body is \`${from}\`.`);
  return { operationId, ...(parameters && { parameters }), ...(members.length && { description: members.join(" ") }) };
}

function content(route: Operation) {
  if (route.answers === "application/pdf")
    return { "application/pdf": { schema: { type: "string", format: "binary" } } };
  const example = { data: route.example.data, ...(isPage(route) && { next_cursor: null }) };
  return { "application/json": { schema: { $ref: refTo(responseName(route)) }, example } };
}

/** The body of a response, by its name, such as `LabelResponse` or `LabelListResponse`. */
function responseSchemas(): Record<string, JsonSchema> {
  const all = operations.filter(({ answers }) => answers !== "application/pdf");
  return Object.fromEntries(all.map((route) => [responseName(route), responseSchema(route)]));
}

function responseSchema(route: Operation): JsonSchema {
  const one = schemaRef(answerItem(route));
  const data = isList(route) ? { type: "array", items: one } : one;
  const next_cursor = {
    type: ["string", "null"],
    description: "The value of `after` for the next page. Null on the last page.",
  };
  const properties = { data, ...(isPage(route) && { next_cursor }) };
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: true };
}

function responseName(route: Operation): string {
  return `${schemaName(answerItem(route))}${isList(route) ? "List" : ""}Response`;
}

function isPage(route: Operation): boolean {
  return route.method === "GET" && route.query !== undefined;
}

function isList(route: Operation): boolean {
  return isPage(route) || route.answers instanceof z.ZodArray;
}

function answerItem({ answers }: Operation): z.ZodType {
  return (answers instanceof z.ZodArray ? answers.element : answers) as z.ZodType;
}
