import { EXAMPLE_ORIGIN, type Guide, groups, guides } from "@shipping/api/guides";
import { MarkdownLink } from "../layout/page-facts.js";
import type { DocsSite } from "../layout/search-form.js";
import { renderPage } from "./layout.js";
import type { Page } from "./open-guide.js";

/** The first page of the documentation. */
export function overviewPage(site: DocsSite): string {
  return renderPage(site, {
    title: "Overview",
    about: "An API for orders, parcels, rates, labels as PDF, tracking and signed webhooks.",
    path: "/docs",
    children: (
      <>
        <h1>Shipping Integration API</h1>
        <p class="lead">
          Send orders and packed parcels, and get rates, labels as PDF, tracking and signed events. Retry safely: you
          never get two labels.
        </p>
        <p class="starts">
          <a class="button" href="/docs/quick-start">
            Get your first label in five steps
          </a>
          {site.hasArea && <a href="/developers">Get an API key</a>}
        </p>
        <ul class="cards">
          {groups
            .slice(0, -1)
            .flatMap(({ guides: [first] }) =>
              first ? <Card path={`/docs/${first.slug}`} title={first.title} about={first.about} /> : [],
            )}
          <Card
            path="/docs/reference"
            title="API reference"
            about="All 18 operations with fields, errors and examples."
          />
        </ul>
        <p>
          For tools: the <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a>, a{" "}
          <a href="/api/v1/postman.json">collection for Postman, Bruno and Insomnia</a>, and these pages in Markdown for{" "}
          <a href="/docs/coding-agents">coding agents</a>: <a href="/llms.txt">llms.txt</a>.
        </p>
      </>
    ),
  });
}

function Card({ path, title, about }: { path: string; title: string; about: string }) {
  return (
    <li>
      <a href={path}>
        <strong>{title}</strong>
        <span>{about}</span>
      </a>
    </li>
  );
}

/** A guide with the URL of this installation, `origin`, in its examples. */
export function guidePage(site: DocsSite, origin: string, { guide, rendered }: Page): string {
  const { html, sections } = rendered;
  const page = renderPage(site, {
    title: guide.title,
    about: guide.about,
    path: `/docs/${guide.slug}`,
    sections,
    children: (
      <>
        <MarkdownLink path={`/docs/${guide.slug}`} />
        {/* Rendered from the repository's own Markdown, in which HTML is text. */}
        <article dangerouslySetInnerHTML={{ __html: site.hasArea ? html : withoutArea(html) }} />
        <Neighbours of={guide} />
      </>
    ),
  });
  return page.replaceAll(EXAMPLE_ORIGIN, origin);
}

function Neighbours({ of }: { of: Guide }) {
  const place = guides.indexOf(of);
  const toLink = ({ slug, title }: Guide) => ({ path: `/docs/${slug}`, title });
  const [before, after] = [guides[place - 1], guides[place + 1]];
  const previous = before ? toLink(before) : { path: "/docs", title: "Overview" };
  const next = after ? toLink(after) : { path: "/docs/reference", title: "API reference" };
  return (
    <nav class="neighbours" aria-label="Previous and next page">
      <a rel="prev" href={previous.path}>
        <span>Previous</span> {previous.title}
      </a>
      <a rel="next" href={next.path}>
        <span>Next</span> {next.title}
      </a>
    </nav>
  );
}

/** Removes links to the developer area, for installations without it. */
function withoutArea(html: string): string {
  return html.replace(/<a href="\/developers[^"]*">(.*?)<\/a>/gs, "$1");
}
