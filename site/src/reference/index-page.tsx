import { CodeExample } from "../layout/code-example.js";
import type { DocsSite } from "../layout/search-form.js";
import { Method, Prose, REFERENCE_PATH, type Reference, renderReference, toTitle } from "./reference-layout.js";

/** The first page of the reference: rules of all operations, and a list of them. */
export function indexPage(site: DocsSite, reference: Reference): string {
  const { resources, baseUrl } = reference;
  return renderReference(site, reference, {
    title: "API reference",
    about: "Each operation of the Shipping Integration API with its fields, errors, examples, and a form to try it.",
    path: REFERENCE_PATH,
    children: (
      <>
        <h1>API reference</h1>
        <p class="lead">Each operation has a page with its fields, errors, examples, and a form to try it.</p>
        <h2 id="base-url">Base URL</h2>
        <CodeExample language="text" code={`${baseUrl}\n`} />
        <p>Requests and responses are JSON in UTF-8. Labels are PDF files.</p>
        <h2 id="authentication">Authentication</h2>
        <p>
          Send your API key as a bearer token. A key belongs to one environment: <code>service_test_…</code> to the
          sandbox, <code>service_live_…</code> to live.{" "}
          {site.hasArea && (
            <>
              You create keys in the <a href="/developers">developer area</a>.
            </>
          )}
        </p>
        <CodeExample
          language="sh"
          code={`curl -sS --fail-with-body "${baseUrl}/account" \\\n  -H "Authorization: Bearer $SHIPPING_KEY"\n`}
        />
        <p>
          The examples read the key from <code>SHIPPING_KEY</code> and the base URL from <code>SHIPPING_URL</code>.
        </p>
        <h2 id="common">What all operations share</h2>
        <ul>
          <li>
            Every <code>POST</code> and <code>DELETE</code> has an <a href="/docs/idempotency">idempotency key</a>, so
            you can safely retry it.
          </li>
          <li>
            Every error has the same body, with a <a href="/docs/errors">code</a> that does not change.
          </li>
          <li>
            Each key has a limit of <a href="/docs/limits">requests per minute</a>. Lists come in{" "}
            <a href="/docs/pagination">pages</a>.
          </li>
          <li>
            Each type of webhook <a href="/docs/events">event</a> has its own page.
          </li>
        </ul>
        <h2 id="tools">Tools</h2>
        <ul>
          <li>
            <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a>, for generators of clients, and{" "}
            <a href="/api/v1/openapi-3.0.json">the same in 3.0.3</a>, for those that cannot read 3.1
          </li>
          <li>
            <a href="/api/v1/postman.json">Collection</a> for Postman, Bruno and Insomnia
          </li>
          <li>
            Clients for <a href="/docs/client">TypeScript</a> and <a href="/docs/client-python">Python</a>, and how to{" "}
            <a href="/docs/other-languages">generate one for another language</a>
          </li>
        </ul>
        {resources.map(({ name, about, operations }) => (
          <section aria-labelledby={name} class="resource">
            <h2 id={name}>{toTitle(name)}</h2>
            <p>
              <Prose>{about}</Prose>
            </p>
            <ul class="operations">
              {operations.map(({ href, route }) => (
                <li>
                  <a href={href}>{route.summary}</a>
                  <span class="endpoint">
                    <Method method={route.method} /> <code>{route.path}</code>
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </>
    ),
  });
}
