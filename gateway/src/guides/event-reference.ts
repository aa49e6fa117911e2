import type { EventType } from "../input/schemas.js";

/** JSON Schema, as far as events need it. */
interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  maxLength?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

/** The parts of the OpenAPI document that describe events. */
export interface EventDocument {
  webhooks: Record<
    string,
    { post: { requestBody: { content: { "application/json": { schema: Schema; example: unknown } } } } }
  >;
  components: { schemas: Record<string, Schema> };
}

/** What stands below the text of an event's page, as Markdown: the fields with their rules, an example, and what to do first. */
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
    "The body, with line breaks that a delivery does not have:",
    `\`\`\`json shown\n${JSON.stringify(payload.example, null, 2)}\n\`\`\``,
    "## Before you use it",
    "[Verify the signature](webhooks.md#verify-the-signature) over the raw bytes. Answer any `2xx` within ten seconds, and ignore an `id` " +
      "that you have already.",
    "",
  ].join("\n\n");
}

/** Adds the table of a named schema, and after it those of the schemas that it refers to. */
function addTables(name: string, schemas: Record<string, Schema>, tables: Map<string, string>): void {
  if (tables.has(name)) return;
  const schema = schemas[name] ?? {};
  const head = "| field | type | description |\n| --- | --- | --- |";
  tables.set(name, [head, ...rowsOf(schema, schemas, "")].join("\n"));
  for (const { $ref } of Object.values(schema.properties ?? {}))
    if ($ref && hasTable({ $ref }, schemas)) addTables(nameOf({ $ref }), schemas, tables);
}

function rowsOf({ properties = {}, required = [] }: Schema, schemas: Record<string, Schema>, above: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const meant = { ...(field.$ref && schemas[nameOf(field)]), ...field };
    const type = hasTable(field, schemas) ? `[${nameOf(field)}](#${nameOf(field).toLowerCase()})` : (meant.type ?? "");
    const description = `${required.includes(name) ? "" : "Optional. "}${rulesOf(meant)}`;
    const cells = [`\`${above}${name}\``, type, description];
    const row = `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    return [row, ...(field.$ref ? [] : rowsOf(field, schemas, `${above}${name}.`))];
  });
}

function rulesOf({ description, const: only, enum: some, maxLength, exclusiveMinimum, maximum }: Schema): string {
  return [
    only !== undefined && `Always \`${only}\`.`,
    some && `${some.map((value) => `\`${value}\``).join(" or ")}.`,
    description,
    maxLength !== undefined && `At most ${maxLength} characters.`,
    exclusiveMinimum !== undefined && `Greater than ${exclusiveMinimum}, at most ${maximum}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Whether it refers to a schema with fields of its own. */
function hasTable(schema: Schema, schemas: Record<string, Schema>): boolean {
  return schema.$ref !== undefined && schemas[nameOf(schema)]?.properties !== undefined;
}

function nameOf({ $ref = "" }: Schema): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
