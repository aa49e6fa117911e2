import type { EventType } from "../input/schemas.js";
import { type Field, fieldOf, isNamedObject, nameOf, type Schema, type Schemas } from "./schema-fields.js";

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
