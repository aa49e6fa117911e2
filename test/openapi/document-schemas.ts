import { openApiDocument } from "@shipping/api/openapi/openapi";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";

/** The keywords of JSON Schema that the document uses for requests and events. */
export interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  unevaluatedProperties?: Schema;
  propertyNames?: Schema;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  examples?: { type?: string }[];
  pattern?: string;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

const document = JSON.parse(JSON.stringify(openApiDocument()));
// Registers the whole document, and compiles only the requested schemas.
const ajv = new Ajv2020({
  // Refuses keywords that JSON Schema 2020-12 does not have, but for those of OpenAPI around the schemas, and ours.
  ...{ strict: false, strictSchema: true, keywords: [...Object.keys(document), "x-extensible-enum"] },
  validateFormats: false,
}).addSchema(document, "document");

/** The schema of a request's body, or of a parameter of its query. */
export function schemaOf(method: "get" | "post", path: string, parameter?: string): Schema {
  const operation = document.paths[path][method];
  if (parameter === undefined) return operation.requestBody.content["application/json"].schema;
  return operation.parameters.find(({ name }: { name?: string }) => name === parameter).schema;
}

/** The schema of an event of this type. */
export function payloadSchemaOf(type: string): Schema {
  const schemas: Schema[] = Object.values(document.components.schemas);
  return schemas.find(({ examples: [example] = [] }) => example?.type === type) ?? {};
}

/** Tells whether a schema of the document accepts a value. */
export function validatorOf(schema: Schema): (value: unknown) => boolean {
  const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
  return ajv.compile(pointed) as (value: unknown) => boolean;
}

/** Values that a schema of the document accepts. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return formedBy(schema, 0).filter(validatorOf(schema));
}

const LEVELS = 4;

/** Values of a schema's form. Recursion ends after a few levels. */
function formedBy(schema: Schema, level: number): fc.Arbitrary<unknown> {
  if (schema.$ref) return formedBy(resolved(schema.$ref), level);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return textsOf(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -100, max: schema.maximum ?? 100 });
    case "number":
      return numbersOf(schema);
    case "array":
      return listsOf(schema, level);
    case "object":
      return objectsOf(schema, level);
    default:
      return anyOf(schema, level);
  }
}

/** A schema without a type: its keywords apply to values of the types that they know. */
function anyOf(schema: Schema, level: number): fc.Arbitrary<unknown> {
  const nested = ["string", "number", "array", "object"].map((type) => formedBy({ ...schema, type }, level));
  return fc.oneof(fc.constant(null), fc.boolean(), ...nested);
}

function textsOf({ pattern, maxLength = 20 }: Schema): fc.Arbitrary<string> {
  const any = fc.string({ unit: "binary", maxLength: Math.min(maxLength, 20) });
  if (pattern === undefined) return any;
  const form = new RegExp(pattern, "u");
  const fitting = fc.stringMatching(form);
  // A pattern with few letters gets values of its own, because random text would not match.
  return form.test("x")
    ? fc.oneof(
        fitting,
        any.filter((text) => form.test(text)),
      )
    : fitting;
}

function numbersOf({ exclusiveMinimum, maximum }: Schema): fc.Arbitrary<unknown> {
  if (exclusiveMinimum === undefined || maximum === undefined)
    return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger());
  return fc.double({ min: exclusiveMinimum, minExcluded: true, max: maximum, noNaN: true });
}

function listsOf({ items = {}, minItems = 0, maxItems = 5 }: Schema, level: number): fc.Arbitrary<unknown> {
  if (level > LEVELS) return fc.constant([]);
  return fc.uniqueArray(formedBy(items, level + 1), { minLength: minItems, maxLength: maxItems });
}

function objectsOf(schema: Schema, level: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, unevaluatedProperties, propertyNames = {} } = schema;
  const others = additionalProperties ?? unevaluatedProperties;
  if (typeof others === "object") {
    if (level > LEVELS) return fc.constant({});
    const members = fc.tuple(textsOf({ maxLength: 10, ...propertyNames }), formedBy(others, level + 1));
    return fc.array(members, { maxLength: 5 }).map((all) => Object.fromEntries(all));
  }
  const members: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, formedBy(member, level + 1)]),
  );
  return fc.record(members, { requiredKeys: required });
}

function resolved(ref: string): Schema {
  return ref
    .slice("#/".length)
    .split("/")
    .reduce((at, step) => at[step], document);
}
