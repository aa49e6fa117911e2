import { guides } from "@shipping/api/guides";
import { errorGuidance } from "@shipping/api/openapi/error-guidance";
import { toMarkdownPath } from "../guides/markdown-twin.js";
import { type Field, fieldTable } from "../guides/schema-fields.js";
import type { Operation, Resource } from "./operations.js";
import { REFERENCE_PATH, type Reference, toTitle } from "./reference-layout.js";
import { getClientMethod, requestExamples } from "./request-examples.js";

/** The first page of the reference as Markdown. */
export function indexMarkdown({ resources, baseUrl }: Reference): string {
  return joinBlocks([
    "# API reference",
    `The base URL is \`${baseUrl}\`. Requests and responses are JSON in UTF-8; labels are PDF files. Send the API key as \`Authorization: Bearer …\`.`,
    "Each `POST` and `DELETE` needs an [idempotency key](/docs/idempotency.md), so you can safely repeat it. Each error has the same body, with a [code](/docs/errors.md) that does not change. Each key has a limit of [requests per minute](/docs/limits.md), and lists come in [pages](/docs/pagination.md).",
    ...resources.map(
      ({ name, about, operations }) => `## ${toTitle(name)}\n\n${about}\n\n${operations.map(operationLine).join("\n")}`,
    ),
  ]);
}

/** The line of an operation in a list. */
export function operationLine({ href, route }: Operation): string {
  return `- [${route.summary}](${toMarkdownPath(href)}): \`${route.method} ${route.path}\`, scope \`${route.scope}\``;
}

/** The page of an operation as Markdown. */
export function operationMarkdown(operation: Operation, resources: readonly Resource[]): string {
  const { route, path, parameters, body, answer, refusals } = operation;
  const [example] = requestExamples(operation);
  const at = (place: string) => parameters.filter((one) => one.in === place).map(({ field }) => field);
  const all = resources.flatMap(({ operations }) => operations);
  return joinBlocks([
    `# ${route.summary}`,
    `\`${route.method} ${path}\``,
    route.purpose,
    describeFacts(operation),
    "## Request",
    `\`\`\`sh\n${example?.code}\`\`\``,
    formatTable("### Path", at("path")),
    formatTable("### Query", at("query")),
    formatTable("### Headers", at("header")),
    body && formatTable("### Body\n\nA JSON object. Fields that are not listed here are rejected.", body.fields),
    body?.fields.length === 0 && "### Body\n\nAn empty JSON object.",
    `## Response\n\nStatus ${answer.status}. ${answer.isPdf ? "The PDF file, as `application/pdf`." : "Fields that are not optional are always present."}`,
    !answer.isPdf && `\`\`\`json\n${JSON.stringify(answer.example, null, 2)}\n\`\`\``,
    formatTable("### Body", answer.fields),
    formatTable("### Headers", answer.headers),
    "## Errors",
    formatErrors(refusals),
    "Every error has the same body: see [Errors and retries](/docs/errors.md).",
    formatLinks(
      "## Next steps",
      all.filter(({ id }) => operation.next.includes(id)),
    ),
    `All operations: [API reference](${toMarkdownPath(REFERENCE_PATH)})`,
  ]);
}

function describeFacts(operation: Operation): string {
  const { route } = operation;
  const isWrite = route.method !== "GET";
  const guide = guides.find(({ slug }) => slug === route.guide);
  const facts = [
    `Scope: \`${route.scope}\``,
    `Client method: \`${getClientMethod(operation)}\` in [TypeScript](/docs/client.md) and [Python](/docs/client-python.md)`,
    isWrite && route.needsCarrier && "Environments: sandbox only. Live keys are refused.",
    isWrite && "Idempotency: send an [Idempotency-Key](/docs/idempotency.md). A repeated request runs only once.",
    guide && `Guide: [${guide.title}](/docs/${guide.slug}.md)`,
  ];
  return facts.flatMap((fact) => (fact ? [`- ${fact}`] : [])).join("\n");
}

function formatErrors(refusals: Operation["refusals"]): string {
  const rows = refusals.map(({ status, code, message }) => {
    const meaning = code === "invalid_request" ? `A field is invalid, for example: ${message}.` : message;
    return `| ${status} | [\`${code}\`](/docs/errors.md#${code}) | ${meaning} | ${errorGuidance[code]} |`;
  });
  return ["| status | code | meaning | what to do |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function formatTable(heading: string, fields: readonly Field[]): string | false {
  return fields.length > 0 && `${heading}\n\n${fieldTable(fields)}`;
}

function formatLinks(heading: string, operations: readonly Operation[]): string | false {
  return operations.length > 0 && `${heading}\n\n${operations.map(operationLine).join("\n")}`;
}

function joinBlocks(blocks: readonly (string | false | undefined)[]): string {
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}
