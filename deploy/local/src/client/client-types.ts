import {
  bodiesOfWebhooks,
  checkKeywords,
  type Document,
  declaredSchemas,
  inputNames,
  type Schema,
  sentencesOf,
  TAGS,
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

// An enum, since the compiler tells members of a union apart by single values alone: not by `string`, whatever it is combined with.
const UNKNOWN_EVENT = `/** Any event type that is newer than this client. To compare one with a text, assign it to a \`string\` first. */
export declare enum UnknownEventType {
  newer = "",
}

/** An event of a type that is newer than this client. */
export interface UnknownEvent {
  id: string;
  type: UnknownEventType;
  livemode: boolean;
  created_at: string;
  data: { [name: string]: unknown };
}
`;

/** What may be sent to a receiver: one of the document's webhooks, told apart by their `type`, or one that is added later. */
function webhookEvent(document: Document): string[] {
  const types = bodiesOfWebhooks(document).map((schema) => typeOf(schema, false, ""));
  if (types.length === 0) return [];
  return [UNKNOWN_EVENT, `${EVENT_COMMENT}export type WebhookEvent = ${types.join(" | ")} | UnknownEvent;\n`];
}

function declaration(name: string, schema: Schema, isInput: boolean): string {
  const head = comment(schema, "");
  const named = typeName(name);
  if (schema.properties && Object.keys(schema.properties).length > 0)
    return `${head}export interface ${named} ${members(schema, isInput, "")}\n`;
  // A named list of values stays closed, so that it can be gone through.
  return `${head}export type ${named} = ${typeOf(schema, true, "")};\n`;
}

function members({ properties = {}, required = [] }: Schema, isInput: boolean, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, isInput || TAGS.has(name), inner);
    // Callers may pass undefined: it is not sent.
    const optional = isInput ? `${name}?: ${type} | undefined` : `${name}?: ${type}`;
    return `${comment(schema, inner)}${inner}${required.includes(name) ? `${name}: ${type}` : optional};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function typeOf(schema: Schema, isInput: boolean, indent: string): string {
  checkKeywords(schema);
  if (schema.$ref) return typeName(schema.$ref);
  if (schema.const !== undefined || schema.enum) return valuesOf(schema, isInput);
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

/** The values that are known. Answers may have others later: an editor still offers these. */
function valuesOf({ const: only, enum: values = [only as string] }: Schema, isClosed: boolean): string {
  if (!isClosed && typeof only !== "string" && only !== undefined) return typeof only;
  return [...values.map((value) => JSON.stringify(value)), ...(isClosed ? [] : ["(string & {})"])].join(" | ");
}

function comment(schema: Schema, indent: string): string {
  const sentences = sentencesOf(schema);
  return sentences && `${indent}/** ${sentences} */\n`;
}
