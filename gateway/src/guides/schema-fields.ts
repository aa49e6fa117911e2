import type { EventType } from "@shipping/proto/event-types";
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

/** The parts of the OpenAPI document that describe events. */
export interface EventDocument {
  webhooks: Record<
    string,
    { post: { requestBody: { content: { "application/json": { schema: Schema; example: unknown } } } } }
  >;
  components: { schemas: Schemas };
}

/** The part of an event's page below its text, as Markdown: the fields with their rules, an example, and what to do first. */
export function eventReference(type: EventType, { webhooks, components }: EventDocument): string {
  const payload = webhooks[type]?.post.requestBody.content["application/json"];
  if (!payload) throw new Error(`The OpenAPI document has no webhook ${type}.`);
  const tables = new Map<string, string>();
  const root = nameOf(payload.schema);
  addTables(root, components.schemas, tables);
  const inner = [...tables].filter(([name]) => name !== root).map(([name, table]) => `### ${name}\n\n${table}`);
  return [
    "## Fields",
    tables.get(root) ?? "",
    ...inner,
    "## Example",
    "Example body. Line breaks are added for readability:",
    `\`\`\`json shown\n${JSON.stringify(payload.example, null, 2)}\n\`\`\``,
    "## Before you process the event",
    "[Verify the signature](webhooks.md#verify-the-signature) over the raw body. Respond with any `2xx` status within ten seconds. Ignore events whose `id` " +
      "you already know.",
    "",
  ].join("\n\n");
}

/** Adds the table of a named schema, and after it those of the schemas that it refers to. */
function addTables(name: string, schemas: Schemas, tables: Map<string, string>): void {
  if (tables.has(name)) return;
  const { properties = {}, required = [] } = schemas[name] ?? {};
  const rows = Object.entries(properties).flatMap(([field, schema]) => {
    const meant = fieldOf(field, schema, schemas, required.includes(field));
    return isNamedObject(schema, schemas)
      ? [rowOf(meant, `[${meant.type}](#${meant.type.toLowerCase()})`)]
      : rowsOf(meant);
  });
  const head = "| field | type | description |\n| --- | --- | --- |";
  tables.set(name, [head, ...rows].join("\n"));
  for (const schema of Object.values(properties))
    if (isNamedObject(schema, schemas)) addTables(nameOf(schema), schemas, tables);
}

function rowsOf(field: Field, above = ""): string[] {
  const row = rowOf({ ...field, name: above + field.name });
  return [row, ...field.fields.flatMap((inner) => rowsOf(inner, `${above}${field.name}.`))];
}

function rowOf({ name, isRequired, text, ...field }: Field, type = field.type): string {
  const cells = [`\`${name}\``, type, `${isRequired ? "" : "Optional. "}${text}`];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
