import { EVENT_TYPES } from "@shipping/proto/event-types";
import { z } from "zod";
import { guides } from "../guides.js";
import { operations as apiOperations } from "../operations/operations.js";
import { events } from "../resources.js";
import { openApiDocument } from "./openapi.js";
import { toOpenApi30 } from "./openapi-30.js";

type Json = Record<string, unknown>;
const document = JSON.parse(JSON.stringify(openApiDocument()));
const operations = apiOperations.map((route) => ({
  route,
  operation: document.paths[route.path][route.method.toLowerCase()],
}));

/** Every object in the document. */
function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const member of Object.values(value)) yield* objectsIn(member);
}

function resolve(ref: string): unknown {
  const steps = ref.slice("#/".length).split("/");
  return steps.reduce<unknown>((at, step) => (at as Json | undefined)?.[step], document);
}

/** Replaces the references in a schema, except circular ones, with their targets. */
function expanded(schema: unknown, above: readonly string[] = []): unknown {
  if (Array.isArray(schema)) return schema.map((item) => expanded(item, above));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...members } = schema as { $ref?: string };
  const referred = $ref && !above.includes($ref) ? (expanded(resolve($ref), [...above, $ref]) as Json) : {};
  const inner = Object.entries(members).map(([name, member]) => [name, expanded(member, above)]);
  return { ...referred, ...Object.fromEntries(inner) };
}

/** Examples are data, not schemas. */
function withoutExamples(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (/^examples?$/.test(name) ? undefined : member)));
}

describe("the OpenAPI document", () => {
  test("is version 1.0.0 of the API under /api/v1, with the key as bearer, as the specification says, in OpenAPI 3.1", () => {
    expect(document).toMatchObject({
      ...{ openapi: "3.1.1", info: { version: "1.0.0" }, servers: [{ url: "/api/v1" }] },
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
    });
  });

  test("has every route once, under a name of its own", () => {
    const count = Object.values(document.paths).flatMap((path) => Object.keys(path as Json)).length;
    expect(count).toBe(operations.length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  test("every reference leads somewhere", () => {
    const refs = [...objectsIn(document)].flatMap(({ $ref }) => ($ref === undefined ? [] : [String($ref)]));
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => resolve(ref) === undefined)).toEqual([]);
  });

  test.each(operations)(
    "$operation.operationId has a purpose, its scope, a guide and a group",
    ({ route, operation }) => {
      const [purpose, facts] = operation.description.split("\n\n");
      expect(purpose).toMatch(/^[A-Z].+\.$/);
      const [, scope, title, slug] = /^Scope: `(.+)`\. Guide: \[(.+)\]\(\/docs\/(.+)\)\.$/.exec(facts) ?? [];
      expect([scope, guides.find((guide) => guide.slug === slug)?.title]).toEqual([route.scope, title]);
      expect(document.tags.map(({ name }: { name: string }) => name)).toContain(operation.tags[0]);
    },
  );

  test("the answer to a new subscription has its secret, and no other answer has one", () => {
    const withSecret = operations.filter(({ route, operation }) => {
      const { schema } = Object.values<Json>(operation.responses[route.status].content)[0] as { schema: Json };
      return JSON.stringify(expanded(schema)).includes("secret");
    });
    expect(withSecret.map(({ operation }) => operation.operationId)).toEqual(["createSubscription"]);
    expect(resolve("#/components/schemas/CreatedWebhook")).toMatchObject({
      required: expect.arrayContaining(["secret", "id", "url"]),
    });
  });

  test("links lead to operations, with the parameters and body that these take", () => {
    const links = operations.flatMap(({ route, operation }) =>
      Object.values<Json>(operation.responses[route.status].links ?? {}),
    );
    expect(links.length).toBeGreaterThan(5);
    for (const { operationId, parameters = {}, description = "" } of links) {
      const { operation } = operations.find((one) => one.operation.operationId === operationId) ?? {};
      const taken = operation.parameters.filter((parameter: Json) => parameter.in === "path");
      expect(Object.keys(parameters as Json)).toEqual(taken.map(({ name }: Json) => name));
      const { properties = {} } = expanded(operation.requestBody?.content["application/json"].schema ?? {}) as Json;
      const named = [...String(description).matchAll(/`(\w+)` of the body is `\$response/g)].map(([, name]) => name);
      expect(Object.keys(properties as Json)).toEqual(expect.arrayContaining(named));
    }
  });

  test.each(EVENT_TYPES)("the event %s has a schema, which its example keeps", (type) => {
    const schemas: Json[] = Object.values(document.components.schemas);
    const { properties, examples } = schemas.find((schema) => (schema.examples as Json[])?.[0]?.type === type) ?? {};
    expect(properties).toMatchObject({ type: { type: "string", "x-extensible-enum": [type] } });
    const [example] = examples as Json[];
    expect(events[type].parse(example)).toEqual(example);
  });

  test("answers and events are open: to members, values, lengths and forms that do not exist yet", () => {
    const answers = operations.flatMap(({ operation }) => Object.values<Json>(operation.responses));
    const deliveries = Object.entries(document.components.schemas).filter(([name]) => name.endsWith("Event"));
    const found = new Set<string>();
    for (const { example, examples: _, ...schema } of objectsIn(withoutExamples(expanded([answers, deliveries])))) {
      for (const keyword of Object.keys(schema)) found.add(keyword);
      expect(schema.additionalProperties).not.toBe(false);
      if (schema.type === "object") expect(schema).toHaveProperty("additionalProperties");
    }
    const closing = [
      "enum",
      "const",
      "pattern",
      "minLength",
      "maxLength",
      "minItems",
      "maxItems",
      "minimum",
      "maximum",
      "not",
    ];
    expect(closing.filter((keyword) => found.has(keyword))).toEqual([]);
  });

  test("the IDs of paths and cursors are opaque, so that a client of today sends the IDs of tomorrow", () => {
    const parameters = operations.flatMap(({ operation }) => expanded(operation.parameters) as Json[]);
    const ids = parameters.filter(({ name }) => name !== "limit" && name !== "Idempotency-Key");
    expect(ids.length).toBeGreaterThan(10);
    for (const { name, schema } of ids) {
      const { description: _, ...rules } = schema as Json;
      expect([name, rules]).toEqual([name, { type: "string", minLength: 1, maxLength: 255 }]);
    }
  });

  test("every parameter, and every member of an input, has a sentence that says what it is", () => {
    const bodies = objectsIn(withoutExamples(expanded(operations.map(({ operation }) => operation.requestBody ?? {}))));
    const members = [...bodies].flatMap(({ properties = {} }) => Object.entries(properties as Record<string, Json>));
    const parameters = operations.flatMap(({ operation }) => expanded(operation.parameters) as Json[]);
    const named = parameters.map((one) => [String(one.name), { ...(one.schema as Json), ...one }] as const);
    const { OrderInput, ShipmentInput, RateInput, Label } = document.components.schemas;
    const all: (readonly [string, Json])[] = [
      ...members,
      ...named,
      ...Object.entries({ OrderInput, ShipmentInput, RateInput, number: Label.properties.tracking_number }),
    ];
    expect(all.length).toBeGreaterThan(60);
    expect(all.filter(([, { description }]) => !/^[A-Z].+\.$/.test(String(description))).map(([name]) => name)).toEqual(
      [],
    );
  });

  test("inputs have the limits that the API applies", () => {
    const schemas = document.components.schemas;
    expect(schemas.OrderInput.properties.reference).toMatchObject({
      minLength: 1,
      maxLength: 200,
      pattern: expect.any(String),
    });
    expect(schemas.AddressInput.properties.company).toMatchObject({ maxLength: 200, pattern: expect.any(String) });
    for (const open of [schemas.ShipmentInput.properties.order_id, schemas.RateInput.properties.shipment_id])
      expect(open).not.toHaveProperty("maxLength");
    expect(schemas.MetadataInput).toMatchObject({ type: "object", additionalProperties: true });
    expect(schemas.LabelInput.properties.format).toMatchObject({ type: "string", enum: ["pdf"], default: "pdf" });
    expect(schemas.WebhookInput.properties.events).toMatchObject({
      type: "array",
      items: { type: "string", enum: [...EVENT_TYPES] },
      ...{ minItems: 1, maxItems: EVENT_TYPES.length },
    });
  });

  test("every engine of regular expressions can compile its patterns, and means the same by them", () => {
    const patterns = [...objectsIn(document)].flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : []));
    expect(patterns.length).toBeGreaterThan(10);
    // Allows only escapes that all engines share, no look-around, and only ASCII, because some engines match byte by byte.
    const portable = /^(?:[ -[\]-~]|\\(?:[tnr.[\]-]|x[0-7][0-9A-F]))+$/;
    expect(patterns.filter((pattern) => !portable.test(pattern) || pattern.includes("(?"))).toEqual([]);
  });

  test("numbers are doubles, which generated clients take for 32 bits or text otherwise", () => {
    const numbers = [...objectsIn(withoutExamples(document))].filter(({ type }) => type === "number");
    expect(numbers.length).toBeGreaterThan(5);
    expect(numbers.filter(({ format }) => format !== "double")).toEqual([]);
  });

  test("links have no body, which swagger-parser takes for text only", () => {
    const links = operations.flatMap(({ route, operation }) =>
      Object.values<Json>(operation.responses[route.status].links ?? {}),
    );
    expect(links.filter((link) => "requestBody" in link)).toEqual([]);
  });

  test.each(operations)("the examples of $operation.operationId keep its schemas", ({ route }) => {
    const { body, data } = route.example;
    if (route.method === "POST") route.body?.parse(body);
    if (route.answers === "application/pdf") return;
    const isList = route.method === "GET" && route.query !== undefined;
    const schema = isList ? z.array(route.answers) : route.answers;
    expect(schema.parse(data)).toEqual(data);
  });
});

describe("the document in OpenAPI 3.0.3", () => {
  const older = JSON.parse(JSON.stringify(toOpenApi30(openApiDocument())));

  test("has the same operations and schemas", () => {
    expect(older.openapi).toBe("3.0.3");
    expect(Object.keys(older.paths)).toEqual(Object.keys(document.paths));
    expect(Object.keys(older.components.schemas)).toEqual(Object.keys(document.components.schemas));
  });

  test("says by the keywords of 3.0 what the other says by those of 3.1", () => {
    expect(older.components.schemas.ParcelInput.properties.weight_kg).toMatchObject({
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 1000,
    });
    expect(older.components.schemas.OrderListResponse.properties.next_cursor).toMatchObject({
      type: "string",
      nullable: true,
    });
    for (const { $ref, type, exclusiveMinimum, ...others } of objectsIn(withoutExamples(older))) {
      if (typeof $ref === "string") expect(others).toEqual({});
      expect([typeof exclusiveMinimum === "number", Array.isArray(type), "const" in others]).not.toContain(true);
    }
  });

  test("changes no example", () => {
    const examplesIn = (value: unknown) => [...objectsIn(value)].flatMap(({ example }) => (example ? [example] : []));
    expect(examplesIn(older.paths)).toEqual(examplesIn(document.paths));
  });
});
