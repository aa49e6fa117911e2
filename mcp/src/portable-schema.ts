type Schema = Readonly<Record<string, unknown>>;

/** The note on an argument whose members are free. Gemini refuses an object without `properties`. */
const AS_TEXT = "A JSON object as text.";

/**
 * Rewrites the schema of a tool's arguments with the keywords that the functions of Gemini, OpenAI and Anthropic all take: `type`, `description`, `enum`,
 * `properties`, `required` and `items`. Limits become a part of the description. The API still checks all of its own schema.
 */
export function toPortableSchema(schema: Schema): Schema {
  const { type, properties, required, items } = schema;
  if (isFree(schema)) return { type: "string", description: sentences([schema.description, AS_TEXT]) };
  const description = sentences([schema.description, ...limitsOf(schema)]);
  const isRequired = Array.isArray(required) && required.length > 0;
  return {
    type,
    ...(description !== "" && { description }),
    ...(schema.enum !== undefined && { enum: schema.enum }),
    ...(items !== undefined && { items: toPortableSchema(items as Schema) }),
    ...(properties !== undefined && { properties: eachOf(properties as Record<string, Schema>) }),
    ...(isRequired && { required }),
  };
}

/** The arguments whose value is an object with free members. A call may also send them as text. */
export function findFreeObjects({ properties = {} }: Schema): string[] {
  return Object.entries(properties as Record<string, Schema>)
    .filter(([, one]) => isFree(one))
    .map(([name]) => name);
}

function isFree({ type, properties }: Schema): boolean {
  return type === "object" && properties === undefined;
}

function eachOf(properties: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, toPortableSchema(one)]));
}

/** The limits of a value as sentences. Patterns are left out: what they demand is in the descriptions. */
function limitsOf(schema: Schema): string[] {
  const { exclusiveMinimum, minimum, maximum, maxLength, default: usual } = schema;
  const range = [
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ].join(", ");
  return [
    ...(range === "" ? [] : [`${range.charAt(0).toUpperCase()}${range.slice(1)}.`]),
    ...(maxLength === undefined ? [] : [`At most ${maxLength} characters.`]),
    ...(usual === undefined ? [] : [`The default is ${usual}.`]),
  ];
}

function sentences(parts: readonly unknown[]): string {
  return parts.filter((part) => part !== undefined).join(" ");
}
