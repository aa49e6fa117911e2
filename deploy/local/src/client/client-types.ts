import {
  bodiesOfWebhooks,
  checkKeywords,
  type Document,
  declaredSchemas,
  type Schema,
  sentencesOf,
  typeName,
} from "./schemas.js";

export type { Document } from "./schemas.js";

/** The types of a client: an interface for each named schema of the document, with its sentences. Throws at a keyword it does not know. */
export function clientTypes(document: Document): string {
  const inputs = inputNames(document);
  const declared = declaredSchemas(document).map(([name, schema]) => declaration(name, schema, inputs.has(name)));
  return `// Made by \`npm run generate\` from the OpenAPI document: do not edit.\n\n${[...declared, ...webhookEvent(document)].join("\n")}`;
}

const EVENT_COMMENT = `/**
 * What a delivery brings: \`type\` tells which it is. \`data\` is the resource as it was then. Ignore members and types that you do
 * not know.
 */
`;

/** What may be sent to a receiver: one of the document's webhooks, told apart by their `type`. */
function webhookEvent(document: Document): string[] {
  const types = bodiesOfWebhooks(document).map((schema) => typeOf(schema, false, ""));
  return types.length === 0 ? [] : [`${EVENT_COMMENT}export type WebhookEvent = ${types.join(" | ")};\n`];
}

/** The schemas that requests hold, those inside of others included. */
function inputNames({ paths, components }: Document): Set<string> {
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

function declaration(name: string, schema: Schema, isInput: boolean): string {
  const head = comment(schema, "");
  const named = typeName(name);
  if (schema.properties && Object.keys(schema.properties).length > 0)
    return `${head}export interface ${named} ${members(schema, isInput, "")}\n`;
  return `${head}export type ${named} = ${typeOf(schema, isInput, "")};\n`;
}

function members({ properties = {}, required = [] }: Schema, isInput: boolean, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, isInput, inner);
    // Callers may pass undefined: it is not sent.
    const optional = isInput ? `${name}?: ${type} | undefined` : `${name}?: ${type}`;
    return `${comment(schema, inner)}${inner}${required.includes(name) ? `${name}: ${type}` : optional};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function typeOf(schema: Schema, isInput: boolean, indent: string): string {
  checkKeywords(schema);
  if (schema.$ref) return typeName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, isInput, indent)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array": {
      const item = typeOf(schema.items ?? {}, isInput, indent);
      return item.includes(" ") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return schema.properties && Object.keys(schema.properties).length > 0
        ? members(schema, isInput, indent)
        : "{ [name: string]: unknown }";
    default:
      throw new Error(`Unknown type for ${JSON.stringify(schema)}.`);
  }
}

function comment(schema: Schema, indent: string): string {
  const sentences = sentencesOf(schema);
  return sentences && `${indent}/** ${sentences} */\n`;
}
