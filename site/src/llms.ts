import { type Guide, guides } from "@shipping/api/guides";
import { operationLine } from "./reference/operation-markdown.js";
import type { Reference } from "./reference/reference-layout.js";

/** `/llms.txt`: the first document for a program that does not know this API, with a link to each page (https://llmstxt.org). */
export function llmsText({ resources, baseUrl }: Reference): string {
  const line = ({ slug, title, about }: Guide) => `- [${title}](/docs/${slug}.md): ${about}`;
  return `# Shipping Integration API

> Send orders and packed parcels, and get rates, labels as PDF, tracking and signed events, over HTTPS and JSON. Any request can be retried, at any time, without creating a second label.

- The base URL of the API is \`${baseUrl}\`. Send the API key as \`Authorization: Bearer …\`. \`GET /account\` says what the key may do.
- Every \`POST\` and \`DELETE\` needs an \`Idempotency-Key\`. Choose one for each thing that you want to happen, store it before you send the request, and repeat the request with it, unchanged, until you have an answer.
- An error is \`{"error": {"code", "message", "request_id"}}\`. The message says what to do. A \`422\` names each wrong field.
- Keys that start with \`service_test_\` belong to the sandbox, where nothing is shipped or charged.
- Each page below is Markdown. The URL without \`.md\` is the same page for people.

## Guides

${guides
  .filter(({ event }) => !event)
  .map(line)
  .join("\n")}

## Events

${guides
  .filter(({ event }) => event)
  .map(line)
  .join("\n")}

## API reference

- [API reference](/docs/reference.md): what all operations share
${resources.flatMap(({ operations }) => operations.map(operationLine)).join("\n")}

## Tools

- [OpenAPI 3.1 document](/api/v1/openapi.json), and [the same in 3.0.3](/api/v1/openapi-3.0.json)
- [Collection](/api/v1/postman.json) for Postman, Bruno and Insomnia

## Optional

- [All pages in one file](/llms-full.txt)
`;
}
