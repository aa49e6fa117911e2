import type { Site } from "../site/site-header.js";
import { type Guide, guides } from "./guides.js";
import { renderPage } from "./layout.js";
import type { Hit } from "./library.js";
import type { Rendered } from "./render-guide.js";

/** The first page: what the API does, and where to read what. */
export function overviewPage(site: Site): string {
  return renderPage(site, {
    title: "Overview",
    path: "/docs",
    children: (
      <>
        <h1>Shipping Integration API</h1>
        <p class="lead">
          Send orders and packed parcels, and get rates, labels as PDF, tracking and signed events. Repeat any request:
          there is never a second label.
        </p>
        <p class="starts">
          <a class="button" href="/docs/quick-start">
            Get your first label in five steps
          </a>
          {site.hasArea && <a href="/developers">Get an API key</a>}
        </p>
        <ul class="cards">
          {guides
            .filter(({ event }) => event === undefined)
            .map(({ slug, title, about }) => (
              <Card path={`/docs/${slug}`} title={title} about={about} />
            ))}
          <Card
            path="/docs/reference"
            title="API reference"
            about="All 18 operations with fields, errors and examples."
          />
        </ul>
        <p>
          For tools: the <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a>, and a{" "}
          <a href="/api/v1/postman.json">collection for Postman, Bruno and Insomnia</a>.
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

/** A guide, with the list of its sections and the ways to the pages before and after it. */
export function guidePage(site: Site, guide: Guide, { html, sections }: Rendered): string {
  return renderPage(site, {
    title: guide.title,
    path: `/docs/${guide.slug}`,
    sections,
    children: (
      <>
        {/* Made of the repository's own Markdown, in which HTML is text. */}
        <article dangerouslySetInnerHTML={{ __html: site.hasArea ? html : withoutArea(html) }} />
        <Neighbours of={guide} />
      </>
    ),
  });
}

function Neighbours({ of }: { of: Guide }) {
  const place = guides.indexOf(of);
  const pathOf = ({ slug, title }: Guide) => ({ path: `/docs/${slug}`, title });
  const [before, after] = [guides[place - 1], guides[place + 1]];
  const previous = before ? pathOf(before) : { path: "/docs", title: "Overview" };
  const next = after ? pathOf(after) : { path: "/docs/reference", title: "API reference" };
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

/** Where there is no developer area, nothing leads to it. */
function withoutArea(html: string): string {
  return html.replace(/<a href="\/developers[^"]*">(.*?)<\/a>/gs, "$1");
}

/** What was found. */
export function searchPage(site: Site, words: string, hits: readonly Hit[]): string {
  const count = hits.length === 1 ? "1 result" : `${hits.length || "No"} results`;
  return renderPage(site, {
    title: "Search",
    path: "/docs/search",
    words,
    children: (
      <>
        <h1>Search</h1>
        <p role="status">{words ? `${count} for “${words}”.` : "Enter a word to search for."}</p>
        {words && hits.length === 0 && (
          <p>
            Check the spelling, or use fewer words. You can also search for a path such as <code>/labels</code>, a field
            such as <code>weight_kg</code>, or an error code such as <code>not_found</code>.
          </p>
        )}
        <ol class="hits">
          {hits.map(({ href, title, of, excerpt }) => (
            <li>
              <a href={href}>{title}</a> <span class="of">{of}</span>
              <p>{excerpt}</p>
            </li>
          ))}
        </ol>
      </>
    ),
  });
}
