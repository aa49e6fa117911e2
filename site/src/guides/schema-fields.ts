import { CLEAN_PATTERN, FILLED_PATTERN } from "@shipping/api/input/text";
import type { EventType } from "@shipping/proto/event-types";

/** The JSON Schema keywords that the OpenAPI document uses. */
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
  /** The values that responses have today. */
  "x-extensible-enum"?: readonly unknown[];
  default?: unknown;
  examples?: readonly unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface Field {
  name: string;
  /** `string`, `array of string`, or the name of a schema. */
  type: string;
  isRequired: boolean;
  /** The description and rules, with code between backticks. */
  text: string;
  /** The regular expression, if `text` does not describe it. */
  pattern?: string;
  /** The fields of an object, or of the objects in an array. */
  fields: readonly Field[];
}

export function describeFields(schema: Schema, schemas: Schemas): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).map(([name, field]) =>
    describeField(name, field, schemas, required.includes(name)),
  );
}

export function describeField(name: string, schema: Schema, schemas: Schemas, isRequired: boolean): Field {
  const resolved = resolve(schema, schemas);
  const pattern =
    resolved.pattern !== undefined && describePattern(resolved) === undefined ? resolved.pattern : undefined;
  return {
    name,
    type: describeType(schema, schemas),
    isRequired,
    text: describeText(resolved),
    ...(pattern !== undefined && { pattern }),
    fields: describeFields(resolved.items ?? resolved, schemas),
  };
}

/** The schema with its reference resolved. Members beside the reference take precedence. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : { ...schemas[refName(schema)], ...schema };
}

export function refName({ $ref = "" }: Schema): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

function isNamedObject(schema: Schema, schemas: Schemas): boolean {
  return schema.$ref !== undefined && schemas[refName(schema)]?.properties !== undefined;
}

function describeType(schema: Schema, schemas: Schemas): string {
  if (isNamedObject(schema, schemas)) return refName(schema);
  const { type = "any", items } = resolve(schema, schemas);
  if (type === "array" && items) return `array of ${describeType(items, schemas)}`;
  return typeof type === "string" ? type : type.join(" or ");
}

function describeText(schema: Schema): string {
  const { description, items } = schema;
  const values = listedValues(schema) ?? (items && listedValues(items));
  return [
    values && `${values.length === 1 ? "Always " : ""}${joinValues(values)}.`,
    description,
    describePattern(schema),
    describeLength(schema),
    describeRange(schema),
    describeItems(schema),
    schema.default !== undefined && `Default: \`${schema.default}\`.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function listedValues(schema: Schema): readonly unknown[] | undefined {
  return schema["x-extensible-enum"] ?? schema.enum ?? ("const" in schema ? [schema.const] : undefined);
}

function joinValues(values: readonly unknown[]): string {
  const [last, ...others] = values.map((value) => `\`${value}\``).reverse();
  return others.length ? `${others.reverse().join(", ")} or ${last}` : `${last}`;
}

function describeLength({ minLength, maxLength }: Schema): string | undefined {
  if (minLength !== undefined && maxLength !== undefined) return `${minLength} to ${maxLength} characters.`;
  if (maxLength !== undefined) return `At most ${maxLength} characters.`;
  if (minLength !== undefined) return `At least ${minLength} ${minLength === 1 ? "character" : "characters"}.`;
  return undefined;
}

function describeRange({ minimum, exclusiveMinimum, maximum }: Schema): string | undefined {
  if (exclusiveMinimum !== undefined) return `Greater than ${exclusiveMinimum}, at most ${maximum}.`;
  // Zod gives every integer the bounds of double precision.
  if (minimum === undefined || minimum === Number.MIN_SAFE_INTEGER) return undefined;
  return `${minimum} to ${maximum}.`;
}

function describeItems({ minItems, maxItems }: Schema): string | undefined {
  return minItems === undefined ? undefined : `${minItems} to ${maxItems} items.`;
}

/** Describes a pattern; undefined if there are no words for it. */
function describePattern({ pattern }: Schema): string | undefined {
  if (pattern === FILLED_PATTERN) return "Must not be blank or contain control characters.";
  if (pattern === CLEAN_PATTERN) return "Must not contain control characters.";
  if (pattern === "^[ -~]+$") return "Printable ASCII characters only.";
  return undefined;
}

export interface EventDocument {
  components: { schemas: Schemas };
}

/** The reference at the end of an event's page, as Markdown: fields, an example, and the first thing that a receiver does. */
export function eventReference(type: EventType, { components }: EventDocument): string {
  const [root, schema] =
    Object.entries(components.schemas).find(
      ([name, { properties }]) =>
        name.endsWith("Event") && properties?.type && listedValues(properties.type)?.includes(type),
    ) ?? [];
  if (!root) throw new Error(`The OpenAPI document has no schema of ${type}.`);
  const tables = new Map<string, string>();
  addTables(root, components.schemas, tables);
  const inner = [...tables].filter(([name]) => name !== root).map(([name, table]) => `### ${name}\n\n${table}`);
  return [
    "## Fields",
    tables.get(root) ?? "",
    ...inner,
    "## Example",
    "Example body. Line breaks are added for readability:",
    `\`\`\`json shown\n${JSON.stringify(schema?.examples?.[0], null, 2)}\n\`\`\``,
    "## Before you process the event",
    "[Verify the signature](webhook-signatures.md) over the raw body. Respond with any `2xx` status within ten seconds. Ignore events whose `id` " +
      "you already know.",
    "",
  ].join("\n\n");
}

const TABLE_HEAD = "| field | type | description |\n| --- | --- | --- |";

/** The fields, with those inside them, as a table in Markdown. */
export function fieldTable(fields: readonly Field[]): string {
  return [TABLE_HEAD, ...fields.flatMap((field) => toRows(field))].join("\n");
}

/** Adds the table of a named schema, then those of the schemas that it refers to. */
function addTables(name: string, schemas: Schemas, tables: Map<string, string>): void {
  if (tables.has(name)) return;
  const { properties = {}, required = [] } = schemas[name] ?? {};
  const rows = Object.entries(properties).flatMap(([field, schema]) => {
    const resolved = describeField(field, schema, schemas, required.includes(field));
    return isNamedObject(schema, schemas)
      ? [toRow(resolved, `[${resolved.type}](#${resolved.type.toLowerCase()})`)]
      : toRows(resolved);
  });
  tables.set(name, [TABLE_HEAD, ...rows].join("\n"));
  for (const schema of Object.values(properties))
    if (isNamedObject(schema, schemas)) addTables(refName(schema), schemas, tables);
}

function toRows(field: Field, above = ""): string[] {
  const row = toRow({ ...field, name: above + field.name });
  return [row, ...field.fields.flatMap((inner) => toRows(inner, `${above}${field.name}.`))];
}

function toRow({ name, isRequired, text, ...field }: Field, type = field.type): string {
  const cells = [`\`${name}\``, type, `${isRequired ? "" : "Optional. "}${text}`];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
