import type { Document } from "./openapi-schemas.js";
import { typescriptTypes } from "./typescript-types.js";

/** A document of these schemas, and of an operation that is sent the one called Input. */
function document(schemas: Document["components"]["schemas"]): Document {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Input" } } };
  return { paths: { "/things": { post: { requestBody: { content } }, get: {} } }, components: { schemas } };
}

const typesOf = (schemas: Document["components"]["schemas"]) =>
  typescriptTypes(document(schemas)).split("\n\n").slice(1);

describe("types from an OpenAPI document", () => {
  test("an interface for each schema, with its sentences and bounds", () => {
    const [parcel] = typesOf({
      Parcel: {
        type: "object",
        description: "A parcel.",
        properties: {
          name: { type: "string", description: "Its name.", maxLength: 200 },
          weight: { type: "number", exclusiveMinimum: 0, maximum: 1000 },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["name", "weight"],
      },
    });
    expect(parcel).toBe(`/** A parcel. */
export interface Parcel {
  /** Its name. At most 200 characters. */
  name: string;
  /** Greater than 0, at most 1000. */
  weight: number;
  tags?: string[];
}
`);
  });

  test("members of requests may be undefined, through references and lists too; those of responses may not", () => {
    const inner = { type: "object", properties: { note: { type: "string" } } };
    const types = typesOf({
      Input: {
        type: "object",
        properties: { inners: { type: "array", items: { $ref: "#/components/schemas/Inner" } } },
      },
      Inner: inner,
      Answer: inner,
    });
    expect(types).toEqual([
      "export interface Input {\n  inners?: Inner[] | undefined;\n}\n".trimEnd(),
      "export interface Inner {\n  note?: string | undefined;\n}",
      "export interface Answer {\n  note?: string;\n}\n",
    ]);
  });

  test("requests have today's values; responses may have others later, except in members that tell kinds of objects apart", () => {
    const properties = {
      object: { type: "string", const: "thing" },
      state: { type: "string", enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string", enum: ["a"] } },
      version: { type: "string", const: "v1" },
      amount: { type: "number", const: 5 },
      test: { type: "boolean", const: true },
    };
    const thing = { type: "object", properties, required: Object.keys(properties) };
    expect(typesOf({ Input: thing, Answer: thing, Code: { type: "string", enum: ["x", "y"] } })).toEqual([
      `export interface Input {
  object: "thing";
  state: "a" | "b";
  tags: "a"[];
  version: "v1";
  amount: 5;
  test: true;
}`,
      `export interface Answer {
  object: "thing";
  state: "a" | "b" | (string & {});
  tags: ("a" | (string & {}))[];
  version: "v1" | (string & {});
  amount: number;
  test: boolean;
}`,
      'export type Code = "x" | "y";\n',
    ]);
  });

  test("the bodies of the webhooks are one type, WebhookEvent, with a member for those of tomorrow", () => {
    const event = (type: string) => ({ type: "object", properties: { type: { const: type } }, required: ["type"] });
    const schemas = { Input: { type: "string" }, MadeEvent: event("thing.made"), LostEvent: event("thing.lost") };
    const text = typescriptTypes(document(schemas));
    expect(text).toContain('export interface MadeEvent {\n  type: "thing.made";\n}');
    expect(text).toMatch(/export type WebhookEvent = MadeEvent \| LostEvent \| UnknownEvent;\n$/);
    expect(text).toContain("export interface UnknownEvent {");
    expect(typescriptTypes(document({ Input: { type: "string" } }))).not.toMatch(/WebhookEvent|UnknownEvent/);
  });

  test("a keyword that it does not know ends it, before it says less than the document", () => {
    expect(() => typesOf({ Input: { oneOf: [] } as object })).toThrow("Unknown type for oneOf");
    expect(() => typesOf({ Input: { type: "null" } })).toThrow("Unknown type for");
  });
});
