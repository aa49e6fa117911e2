import type { Tool } from "@modelcontextprotocol/server";
import { openApiText } from "@shipping/api/openapi/open-api-text";
import { readTools } from "shipping-mcp/tools";

type Schema = Record<string, unknown>;

const tools = readTools(JSON.parse(openApiText())).map(({ tool }) => tool);

/**
 * The keywords that all three take, as they document them:
 *
 * - Gemini, `FunctionDeclaration.parameters`: `Schema`, a subset of OpenAPI 3.0. It has no `additionalProperties`, `$ref`, `const`, `not` or
 *   `exclusiveMinimum`, `format` of a string is `enum` or `date-time`, and `properties` of a nested object must not be empty.
 * - OpenAI, functions: the strict form has no `default`, `not`, `allOf` or `oneOf`, and older models refuse `minLength`, `maxLength` and `format`.
 * - Anthropic, `input_schema`: no `oneOf`, `anyOf` or `allOf` at the top; the strict form has no limits of numbers, texts or lists.
 */
const KEYWORDS = ["description", "enum", "items", "properties", "required", "type"];
const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** A schema and all schemas in it, with where they are. */
function* within(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, one] of Object.entries((schema.properties ?? {}) as Record<string, Schema>))
    yield* within(one, `${path}.${name}`);
  if (schema.items) yield* within(schema.items as Schema, `${path}[]`);
}

const schemas = tools.flatMap(({ name, inputSchema }) => [...within(inputSchema as Schema, name)]);

test("the schemas of all tools have only keywords that Gemini, OpenAI and Anthropic take", () => {
  const others = schemas.flatMap(([path, schema]) =>
    Object.keys(schema).flatMap((keyword) => (KEYWORDS.includes(keyword) ? [] : [`${path}: ${keyword}`])),
  );
  expect(others).toEqual([]);
  expect(schemas.length).toBeGreaterThan(80);
});

test.each(schemas.map(([path, schema]) => ({ path, schema })))("$path is complete", ({ path, schema }) => {
  const { type, properties, required, items } = schema;
  expect(TYPES).toContain(type);
  if (type === "array") expect(items).toBeDefined();
  if (type !== "object") return expect([properties, required]).toEqual([undefined, undefined]);
  const names = Object.keys(properties as object);
  // A tool without arguments needs an empty object for OpenAI. Gemini refuses one anywhere below.
  if (path.includes(".")) expect(names).not.toEqual([]);
  for (const name of names) expect(name).toMatch(/^[a-z_][a-z0-9_]{0,63}$/);
  if (required) expect(required).not.toEqual([]);
  for (const name of (required ?? []) as string[]) expect(names).toContain(name);
});

test("an enum has only texts", () => {
  for (const [, { type, enum: values }] of schemas)
    if (values)
      expect([type, ...(values as unknown[]).map((one) => typeof one)]).toEqual(
        Array((values as []).length + 1).fill("string"),
      );
});

test("names and descriptions are as short as all of them demand, also behind the prefix of a host", () => {
  for (const { name, description = "" } of tools) {
    expect(`mcp__shipping__${name}`).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/);
    expect(description.length).toBeLessThanOrEqual(1024);
  }
});

test("the limits that the schemas cannot state are in the descriptions", () => {
  const describe = (name: string, ...path: string[]) => {
    let schema = tools.find((tool: Tool) => tool.name === name)?.inputSchema as Schema;
    for (const one of path) schema = (schema.properties as Record<string, Schema>)[one] as Schema;
    return schema.description;
  };
  expect(describe("createOrder", "reference")).toMatch(/ At most 200 characters\.$/);
  expect(describe("createOrder", "parcel", "weight_kg")).toBe("Weight in kilograms. More than 0, at most 1000.");
  expect(describe("listOrders", "limit")).toMatch(/ At least 1, at most 100\. The default is 25\.$/);
  expect(describe("createOrder", "metadata")).toMatch(/ A JSON object as text\.$/);
});
