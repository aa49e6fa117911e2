type Json = Record<string, unknown>;

/** Converts the document to OpenAPI 3.0.3, for tools that cannot read 3.1. */
export function toOpenApi30(document: Json): Json {
  return { ...(convert(document) as Json), openapi: "3.0.3" };
}

function convert(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item));
  if (typeof value !== "object" || value === null) return value;
  const members = isNames ? value : convertKeywords(value as Json);
  // Below `properties`, keys are names of fields, not keywords. Examples are data and stay unchanged.
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      !isNames && (name === "example" || name === "examples") ? member : convert(member, name === "properties"),
    ]),
  );
}

function convertKeywords(schema: Json): Json {
  const { $ref, type, exclusiveMinimum, examples, ...others } = schema;
  // 3.0 ignores all members beside `$ref`.
  if (typeof $ref === "string") return { $ref };
  const converted: Json = { ...(type !== undefined && { type }), ...others };
  if (Array.isArray(type)) {
    converted.type = type.find((one) => one !== "null");
    converted.nullable = true;
  }
  if (typeof exclusiveMinimum === "number") {
    converted.minimum = exclusiveMinimum;
    converted.exclusiveMinimum = true;
  }
  // A schema has a list of `examples` in 3.1, and one `example` in 3.0. A response has an object of `examples` in both.
  if (Array.isArray(examples)) converted.example = examples[0];
  else if (examples !== undefined) converted.examples = examples;
  return converted;
}
