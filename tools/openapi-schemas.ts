/** JSON Schema, as far as it is supported here. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: string[];
  const?: unknown;
  maxLength?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

interface Operation {
  requestBody?: { content: { "application/json": { schema: Schema } } };
}

/** The parts of an OpenAPI document that are read. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const KNOWN = new Set([
  ...["$ref", "type", "description", "properties", "required", "items", "anyOf", "enum", "const"],
  ...["maxLength", "exclusiveMinimum", "maximum"],
  // These say which values are good, and no type does.
  ...["additionalProperties", "propertyNames", "minLength", "pattern", "not", "format", "default"],
  ...["minimum", "minItems", "maxItems", "uniqueItems"],
]);

// Only `additionalProperties`: the sender of an object need not prove that it is JSON.
const UNTYPED = "MetadataValue";

// Beside a language's own `Error`, the document's would be confused with it.
const NAMES: Readonly<Record<string, string>> = { Error: "ErrorBody" };

/** The members of answers whose values never change, since they tell one kind of object from another. Others can get new values. */
export const TAGS: ReadonlySet<string> = new Set(["object", "type"]);

/** The named schemas that get a type, in the document's order. */
export function declaredSchemas({ components }: Document): [name: string, schema: Schema][] {
  return Object.entries(components.schemas).filter(([name]) => name !== UNTYPED);
}

/** The schemas that requests hold, those inside of others included. */
export function inputNames({ paths, components }: Document): Set<string> {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    const name = schema.$ref?.slice(schema.$ref.lastIndexOf("/") + 1);
    if (name && !found.has(name)) {
      found.add(name);
      visit(components.schemas[name] ?? {});
    }
    for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])]) visit(inner);
    if (schema.items) visit(schema.items);
  };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (operation.requestBody) visit(operation.requestBody.content["application/json"].schema);
  }
  return found;
}

/** What may be sent to a receiver: the schemas of the document's webhooks. */
export function bodiesOfWebhooks({ webhooks = {} }: Document): Schema[] {
  const operations = Object.values(webhooks).flatMap((methods) => Object.values(methods));
  return operations.map(({ requestBody }) => requestBody?.content["application/json"].schema ?? {});
}

/** Throws at a keyword that no type is made of, before the type says less than the document. */
export function checkKeywords(schema: Schema): void {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) throw new Error(`Unknown type for ${unknown.join(", ")} in ${JSON.stringify(schema)}.`);
}

/** What the type of a schema is called, from its name or a reference to it. */
export function typeName(ref: string): string {
  const name = ref.slice(ref.lastIndexOf("/") + 1);
  return NAMES[name] ?? name;
}

/** What a type's comment says: the description, and the bounds that no type can say. */
export function sentencesOf({ description, maxLength, exclusiveMinimum, maximum }: Schema): string {
  const sentences = [
    description,
    maxLength !== undefined && `At most ${maxLength} characters.`,
    exclusiveMinimum !== undefined && `Greater than ${exclusiveMinimum}, at most ${maximum}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}
