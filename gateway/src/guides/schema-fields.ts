import { CLEAN_PATTERN, FILLED_PATTERN } from "../input/text.js";

/** JSON Schema, as far as the OpenAPI document uses it. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  pattern?: string;
}

/** The named schemas of the document. */
export type Schemas = Readonly<Record<string, Schema>>;

/** A field, a parameter or a header, in words. */
export interface Field {
  name: string;
  /** `string`, `array of string`, or the name of a schema. */
  type: string;
  isRequired: boolean;
  /** Its description and rules, with code between backticks. */
  text: string;
  /** The regular expression, where no words stand for it. */
  pattern?: string;
  /** The fields inside. */
  fields: readonly Field[];
}

/** The fields of an object, in the order of the document. */
export function fieldsOf(schema: Schema, schemas: Schemas): Field[] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return Object.entries(properties).map(([name, field]) => fieldOf(name, field, schemas, required.includes(name)));
}

/** One field of an object, or a parameter. */
export function fieldOf(name: string, schema: Schema, schemas: Schemas, isRequired: boolean): Field {
  const meant = resolved(schema, schemas);
  const pattern = meant.pattern !== undefined && wordsOf(meant) === undefined ? meant.pattern : undefined;
  return {
    name,
    type: typeOf(schema, schemas),
    isRequired,
    text: textOf(meant),
    ...(pattern !== undefined && { pattern }),
    fields: fieldsOf(meant.items ?? meant, schemas),
  };
}

/** The schema with its reference resolved. Members beside the reference take precedence. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : { ...schemas[nameOf(schema)], ...schema };
}

/** The name of the schema that is referred to. */
export function nameOf({ $ref = "" }: Schema): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

/** Whether it refers to a schema with fields of its own. */
export function isNamedObject(schema: Schema, schemas: Schemas): boolean {
  return schema.$ref !== undefined && schemas[nameOf(schema)]?.properties !== undefined;
}

function typeOf(schema: Schema, schemas: Schemas): string {
  if (isNamedObject(schema, schemas)) return nameOf(schema);
  const { type = "any", items } = resolved(schema, schemas);
  if (type === "array" && items) return `array of ${typeOf(items, schemas)}`;
  return typeof type === "string" ? type : type.join(" or ");
}

function textOf(schema: Schema): string {
  const { description, const: only, enum: some, items } = schema;
  const values = some ?? items?.enum;
  return [
    only !== undefined && `Always \`${only}\`.`,
    values && `${listed(values)}.`,
    description,
    wordsOf(schema),
    lengthOf(schema),
    rangeOf(schema),
    itemsOf(schema),
    schema.default !== undefined && `Default: \`${schema.default}\`.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function listed(values: readonly unknown[]): string {
  const [last, ...others] = values.map((value) => `\`${value}\``).reverse();
  return others.length ? `${others.reverse().join(", ")} or ${last}` : `${last}`;
}

function lengthOf({ minLength, maxLength }: Schema): string | undefined {
  if (minLength !== undefined && maxLength !== undefined) return `${minLength} to ${maxLength} characters.`;
  if (maxLength !== undefined) return `At most ${maxLength} characters.`;
  if (minLength !== undefined) return `At least ${minLength} ${minLength === 1 ? "character" : "characters"}.`;
  return undefined;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Schema): string | undefined {
  if (exclusiveMinimum !== undefined) return `Greater than ${exclusiveMinimum}, at most ${maximum}.`;
  // Every integer has the bounds of double precision.
  if (minimum === undefined || minimum === Number.MIN_SAFE_INTEGER) return undefined;
  return `${minimum} to ${maximum}.`;
}

function itemsOf({ minItems, maxItems, uniqueItems }: Schema): string | undefined {
  if (minItems === undefined) return undefined;
  return `${minItems} to ${maxItems} items${uniqueItems ? ", without duplicates" : ""}.`;
}

/** What a pattern says, in words. A time has a form of its own. */
function wordsOf({ pattern, format }: Schema): string | undefined {
  if (pattern === FILLED_PATTERN) return "Must not be blank or contain control characters.";
  if (pattern === CLEAN_PATTERN) return "Must not contain control characters.";
  if (pattern === "^[ -~]+$") return "Printable ASCII characters only.";
  return format === "date-time" ? "" : undefined;
}
