/** The supported part of JSON Schema. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  /** The values that responses have today. Later versions may add others. */
  "x-extensible-enum"?: unknown[];
  maxLength?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

interface Operation {
  requestBody?: { content: { "application/json": { schema: Schema } } };
}

/** The parts of an OpenAPI document that the generators read. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const KNOWN = new Set([
  ...["$ref", "type", "description", "properties", "required", "items", "anyOf", "enum", "const", "x-extensible-enum"],
  ...["maxLength", "exclusiveMinimum", "maximum"],
  // Constraints on values, which types cannot express.
  ...["additionalProperties", "propertyNames", "minLength", "pattern", "not", "format", "default", "examples"],
  ...["minimum", "minItems", "maxItems"],
]);

/** Members of responses that never get new values, because they tell one kind of object from another. */
export const TAGS: ReadonlySet<string> = new Set(["object", "type"]);

/** The named schemas that become types, in the order of the document. The clients take the bodies of responses apart themselves. */
export function namedSchemas({ components }: Document): [name: string, schema: Schema][] {
  return Object.entries(components.schemas).filter(([name]) => !name.endsWith("Response"));
}

/** The names of the schemas in requests, including nested ones. */
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

/** The values that a schema lists: all for a request, today's for a response. */
export function listedValues(schema: Schema): unknown[] | undefined {
  return schema["x-extensible-enum"] ?? schema.enum ?? ("const" in schema ? [schema.const] : undefined);
}

/** The schemas of the events that receivers get. */
export function eventSchemas(document: Document): Schema[] {
  const names = namedSchemas(document).map(([name]) => name);
  return names.filter((name) => name.endsWith("Event")).map((name) => ({ $ref: `#/components/schemas/${name}` }));
}

/** Throws if a schema has a keyword that the generators do not support, because the type would say less than the document. */
export function checkKeywords(schema: Schema): void {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) throw new Error(`Unknown type for ${unknown.join(", ")} in ${JSON.stringify(schema)}.`);
}

/** The name of the type for a schema name or a reference. */
export function typeName(ref: string): string {
  const name = ref.slice(ref.lastIndexOf("/") + 1);
  // Otherwise it would be confused with the `Error` of the language.
  return name === "Error" ? "ErrorBody" : name;
}

/** The comment of a type: the description, and limits that the type cannot express. */
export function commentFor({ description, maxLength, exclusiveMinimum, maximum }: Schema): string {
  const sentences = [
    description,
    maxLength !== undefined && `At most ${maxLength} characters.`,
    exclusiveMinimum !== undefined && `Greater than ${exclusiveMinimum}, at most ${maximum}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}
