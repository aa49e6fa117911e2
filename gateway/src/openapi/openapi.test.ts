import { EVENT_TYPES } from "@shipping/proto/event-types";
import { z } from "zod";
import { routes } from "../api/endpoints/endpoints.js";
import { events } from "../api/resources.js";
import { guides } from "../guides/guides.js";
import { openApiDocument } from "./openapi.js";

type Json = Record<string, unknown>;
const document = JSON.parse(JSON.stringify(openApiDocument()));
const operations = routes.map((route) => ({
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

/** A schema with what its references lead to, as far as that does not lead to itself. */
function expanded(schema: unknown, above: readonly string[] = []): unknown {
  if (Array.isArray(schema)) return schema.map((item) => expanded(item, above));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...members } = schema as { $ref?: string };
  const referred = $ref && !above.includes($ref) ? (expanded(resolve($ref), [...above, $ref]) as Json) : {};
  const inner = Object.entries(members).map(([name, member]) => [name, expanded(member, above)]);
  return { ...referred, ...Object.fromEntries(inner) };
}

describe("the OpenAPI document", () => {
  test("is version 1.0.0 of the API under /api/v1, in OpenAPI 3.1", () => {
    expect(document).toMatchObject({ openapi: "3.1.1", info: { version: "1.0.0" }, servers: [{ url: "/api/v1" }] });
  });

  test("has every route once, under a name of its own", () => {
    const count = Object.values(document.paths).flatMap((path) => Object.keys(path as Json)).length;
    expect(count).toBe(routes.length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routes.length);
  });

  test("every reference leads somewhere", () => {
    const refs = [...objectsIn(document)].flatMap(({ $ref }) => ($ref === undefined ? [] : [String($ref)]));
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => resolve(ref) === undefined)).toEqual([]);
  });

  test("every operation can answer the statuses that the spec lists", () => {
    for (const { route, operation } of operations) {
      const body = route.method === "POST" ? ["400", "413", "415"] : [];
      const write = route.method === "GET" ? [] : ["409"];
      const expected = [String(route.status), "401", "403", "422", "429", "500", "503", ...body, ...write];
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(expected));
    }
  });

  test("writes take an Idempotency-Key, lists limit and after, paths their id", () => {
    const parametersOf = (name: string) =>
      operations
        .find(({ operation }) => operation.operationId === name)
        ?.operation.parameters.map((parameter: Json) => parameter.name ?? parameter.$ref);
    expect(parametersOf("voidLabel")).toEqual(["id", "#/components/parameters/IdempotencyKey"]);
    expect(parametersOf("listOrders")).toEqual(["limit", "after"]);
    expect(parametersOf("getTracking")).toEqual(["tracking_number"]);
    expect(parametersOf("getAccount")).toEqual([]);
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
    for (const { operationId, parameters = {}, requestBody = {} } of links) {
      const { operation } = operations.find((one) => one.operation.operationId === operationId) ?? {};
      const taken = operation.parameters.filter((parameter: Json) => parameter.in === "path");
      expect(Object.keys(parameters as Json)).toEqual(taken.map(({ name }: Json) => name));
      const { properties = {} } = expanded(operation.requestBody?.content["application/json"].schema ?? {}) as Json;
      expect(Object.keys(properties as Json)).toEqual(expect.arrayContaining(Object.keys(requestBody as Json)));
    }
  });

  test.each(EVENT_TYPES)(
    "the webhook %s has a name, a guide and a schema of its own, which its example keeps",
    (type) => {
      const { operationId, description, requestBody } = document.webhooks[type].post;
      const [, guide] = /Guide: \[.+\]\(\/docs\/(.+)\)\.$/.exec(description) ?? [];
      expect(guides.map(({ slug }) => slug)).toContain(guide);
      const { schema, example } = requestBody.content["application/json"];
      const payload = resolve(schema.$ref) as { properties: Json };
      expect(schema.$ref).toMatch(/Event$/);
      expect(payload.properties.type).toMatchObject({ const: type });
      expect(operationId).toMatch(/^receive[A-Z]\w+$/);
      expect(events[type].parse(example)).toEqual(example);
    },
  );

  test("a value of metadata is not taken for an object by generators of clients", () => {
    // openapi-typescript and oapi-codegen guess by these, where there is no type.
    const guesses = ["properties", "additionalProperties", "patternProperties"];
    const { MetadataValue } = document.components.schemas;
    expect(Object.keys(MetadataValue ?? {}).filter((keyword) => guesses.includes(keyword))).toEqual([]);
    expect(MetadataValue).not.toHaveProperty("type");
  });

  test("there is a webhook for each type of event, and no other", () => {
    expect(Object.keys(document.webhooks)).toEqual(EVENT_TYPES);
    const names = Object.values<Record<string, Json>>(document.webhooks).map(({ post }) => post?.operationId);
    expect(new Set(names).size).toBe(EVENT_TYPES.length);
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
