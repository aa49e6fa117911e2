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

const HEAD = `# Made by \`npm run generate\` from the OpenAPI document: do not edit.
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

# Before Python 3.11, type checkers alone know NotRequired.
if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired
`;

// A class cannot have members of these names.
const KEYWORDS = new Set([
  "from",
  "class",
  "import",
  "global",
  "in",
  "is",
  "not",
  "or",
  "and",
  "pass",
  "return",
  "def",
]);

const EVENT_COMMENT = `What a delivery brings: \`type\` tells which it is. \`data\` is the resource as it was then. Ignore members and types that
you do not know.`;

// A literal, since type checkers tell members of a union apart by literals alone.
const UNKNOWN_EVENT = `class UnknownEvent(TypedDict):
    """An event of a type that is newer than this client."""

    id: str
    type: Literal["any type that is newer than this client"]
    """Its type, whatever it is. To compare it with a text, assign it to a variable of type \`str\` first."""

    livemode: bool
    created_at: str
    data: dict[str, Any]
`;

/** The types of the Python client: a TypedDict for each named schema of the document, with its sentences. Throws at a keyword it does not know. */
export function pythonTypes(document: Document): string {
  const inputs = inputNames(document);
  const declared = declaredSchemas(document).flatMap(([name, schema]) =>
    declaration(typeName(name), schema, inputs.has(name)),
  );
  return [HEAD, ...declared, ...webhookEvent(document)].join("\n\n");
}

/** What may be sent to a receiver: one of the document's webhooks, told apart by their `type`, or one that is added later. */
function webhookEvent(document: Document): string[] {
  const events = bodiesOfWebhooks(document).map((schema) => typeOf(schema, "", false).text);
  if (events.length === 0) return [];
  return [UNKNOWN_EVENT, alias("WebhookEvent", `Union[${[...events, "UnknownEvent"].join(", ")}]`, EVENT_COMMENT)];
}

function declaration(name: string, schema: Schema, isInput: boolean): string[] {
  const { properties = {} } = schema;
  if (Object.keys(properties).length > 0) return typedDict(name, schema, isInput);
  // A named list of values stays closed, so that it can be gone through.
  const { text, inner } = typeOf(schema, name, true);
  return [...inner, alias(name, text, sentencesOf(schema))];
}

/** A type in Python, and the declarations that it needs before itself. */
interface Typed {
  text: string;
  inner: string[];
}

function typedDict(name: string, schema: Schema, isInput: boolean): string[] {
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).map(([member, inner]) => {
    const { text, inner: declared } = typeOf(inner, `${name}${camelCase(member)}`, isInput || TAGS.has(member));
    const type = required.includes(member) ? text : `NotRequired[${text}]`;
    return { member, type, comment: sentencesOf(inner), declared };
  });
  // It would need an import at run time that Python before 3.11 does not have.
  const optional = Object.keys(properties).filter((member) => KEYWORDS.has(member) && !required.includes(member));
  if (optional.length > 0) throw new Error(`Unknown type for ${optional[0]}, which is not required, in ${name}.`);
  const named = members.filter(({ member }) => !KEYWORDS.has(member));
  const odd = members.filter(({ member }) => KEYWORDS.has(member));
  const lines = named.map(({ member, type, comment }) => `    ${member}: ${type}\n${docstring(comment)}`);
  const base = odd.length > 0 ? `_${name}` : "TypedDict";
  return [
    ...members.flatMap(({ declared }) => declared),
    ...(odd.length > 0 ? [functional(base, odd)] : []),
    `class ${name}(${base}):\n${[docstring(sentencesOf(schema)), ...lines].filter(Boolean).join("").trimEnd()}\n`,
  ];
}

/** The members that no class can have: they stand in one that it is derived from. */
function functional(name: string, members: readonly { member: string; type: string }[]): string {
  const entries = members.map(({ member, type }) => `${JSON.stringify(member)}: ${JSON.stringify(type)}`);
  return `${name} = TypedDict(${JSON.stringify(name)}, {${entries.join(", ")}})\n`;
}

function typeOf(schema: Schema, name: string, isInput: boolean): Typed {
  checkKeywords(schema);
  const plain = (text: string): Typed => ({ text, inner: [] });
  if (schema.$ref) return plain(typeName(schema.$ref));
  if (schema.const !== undefined || schema.enum) return plain(valuesOf(schema, isInput));
  const simple = { string: "str", boolean: "bool", number: "float", integer: "int" }[schema.type ?? ""];
  if (simple) return plain(simple);
  if (schema.type === "array") {
    const { text, inner } = typeOf(schema.items ?? {}, name, isInput);
    return { text: `list[${text}]`, inner };
  }
  if (schema.type !== "object") throw new Error(`Unknown type for ${JSON.stringify(schema)}.`);
  if (Object.keys(schema.properties ?? {}).length === 0) return plain("dict[str, Any]");
  return { text: name, inner: typedDict(name, schema, isInput) };
}

/** The values that are known. Answers may have others later: an editor still offers these. */
function valuesOf({ const: only, enum: values }: Schema, isClosed: boolean): string {
  const known = `Literal[${(values ?? [only]).map(literal).join(", ")}]`;
  if (isClosed) return known;
  if (typeof only === "number") return "float";
  return typeof only === "boolean" ? "bool" : `Union[${known}, str]`;
}

function alias(name: string, type: string, comment: string): string {
  return `${name} = ${type}\n${comment && `${quoted(comment)}\n`}`;
}

function docstring(sentences: string): string {
  return sentences && `    ${quoted(sentences)}\n\n`;
}

function quoted(text: string): string {
  return `"""${text.replace(/\\|"(?="|$)/g, "\\$&")}"""`;
}

function literal(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

function camelCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
