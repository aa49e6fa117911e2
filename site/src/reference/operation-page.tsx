import { guides } from "@shipping/api/guides";
import { errorGuidance } from "@shipping/api/openapi/error-guidance";
import type { ComponentChildren } from "preact";
import { CodeTabs } from "../layout/code-example.js";
import { MarkdownLink } from "../layout/page-facts.js";
import type { DocsSite } from "../layout/search-form.js";
import type { Operation, Resource } from "./operations.js";
import {
  Method,
  Prose,
  REFERENCE_PATH,
  type Reference,
  renderReference,
  toTitle,
  tryScript,
} from "./reference-layout.js";
import { AnswerExample, Answered, Sent } from "./request-and-answer.js";
import { getClientMethod, requestExamples } from "./request-examples.js";
import { TryIt } from "./try-it.js";

export function operationPage(site: DocsSite, reference: Reference, operation: Operation): string {
  const { route, href, refusals } = operation;
  const resource = route.path.split("/")[1] ?? "";
  return renderReference(site, reference, {
    title: route.summary,
    about: `${route.method} ${route.path}: ${route.summary}, with fields, errors and examples.`,
    path: href,
    script: tryScript,
    children: (
      <>
        <nav class="trail" aria-label="Breadcrumb">
          <a href={REFERENCE_PATH}>API reference</a> › <a href={`${REFERENCE_PATH}#${resource}`}>{toTitle(resource)}</a>
        </nav>
        <MarkdownLink path={href} />
        <h1>{route.summary}</h1>
        <p class="endpoint">
          <Method method={route.method} /> <code>{operation.path}</code>
        </p>
        <p class="lead">
          <Prose>{route.purpose}</Prose>
        </p>
        <Facts operation={operation} />
        <div class="pair">
          <section aria-labelledby="request">
            <h2 id="request">Request</h2>
            <CodeTabs blocks={requestExamples(operation)} />
          </section>
          <section aria-labelledby="answer">
            <h2 id="answer">Response</h2>
            <AnswerExample operation={operation} />
          </section>
        </div>
        <TryIt operation={operation} resources={reference.resources} site={site} />
        <div class="pair">
          <section aria-labelledby="parameters">
            <h2 id="parameters">Request fields</h2>
            <Sent operation={operation} />
          </section>
          <section aria-labelledby="fields">
            <h2 id="fields">Response fields</h2>
            <Answered operation={operation} />
          </section>
        </div>
        <section aria-labelledby="errors">
          <h2 id="errors">Errors</h2>
          <ErrorTable refusals={refusals} />
          <p>
            Every error has the same body: see <a href="/docs/errors">Errors and retries</a>.
          </p>
        </section>
        <Next operation={operation} resources={reference.resources} />
      </>
    ),
  });
}

function Facts({ operation }: { operation: Operation }) {
  const { route } = operation;
  const guide = guides.find(({ slug }) => slug === route.guide);
  const isWrite = route.method !== "GET";
  const fact = (name: string, children: ComponentChildren) => (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
  return (
    <dl class="facts">
      {fact("Scope", <code>{route.scope}</code>)}
      {fact("Client method", <code>{getClientMethod(operation)}</code>)}
      {isWrite && route.needsCarrier && fact("Environments", "Sandbox only. Live keys are refused.")}
      {isWrite &&
        fact(
          "Idempotency",
          <>
            Send an <a href="/docs/idempotency">Idempotency-Key</a>. A repeated request runs only once.
          </>,
        )}
      {fact(
        "Limits",
        <>
          Counts toward the <a href="/docs/limits">requests per minute</a> of the key
          {isWrite && route.body && "; body up to 64 KiB"}.
        </>,
      )}
      {guide && fact("Guide", <a href={`/docs/${guide.slug}`}>{guide.title}</a>)}
    </dl>
  );
}

function ErrorTable({ refusals }: Pick<Operation, "refusals">) {
  return (
    <table class="errors">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Code</th>
          <th scope="col">Meaning</th>
          <th scope="col">What to do</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ status, code, message }) => (
          <tr id={code}>
            <td data-label="Status">{status}</td>
            <td data-label="Code">
              <a href={`/docs/errors#${code}`}>
                <code>{code}</code>
              </a>
            </td>
            <td data-label="Meaning">
              {code === "invalid_request" ? `A field is invalid, for example: ${message}.` : message}
            </td>
            <td data-label="What to do">
              <Prose>{errorGuidance[code]}</Prose>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Next({ operation, resources }: { operation: Operation; resources: readonly Resource[] }) {
  const next = resources.flatMap(({ operations }) => operations).filter(({ id }) => operation.next.includes(id));
  if (next.length === 0) return null;
  return (
    <section aria-labelledby="next">
      <h2 id="next">Next steps</h2>
      <ul>
        {next.map(({ href, route }) => (
          <li>
            <a href={href}>{route.summary}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
