import type { ComponentChildren } from "preact";
import { render } from "preact-render-to-string";
import { assetOf } from "../http/asset.js";
import { guides } from "./guides.js";

export const style = assetOf("/docs/style.css", "base.css", "guides.css");

interface Frame {
  title: string;
  /** The path of the page, marked in the list. */
  path: string;
  /** What was searched for. */
  words?: string;
  /** What stands beside the text: the sections of a guide. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A whole page: the list of guides, the search, and what the page is about. */
export function renderPage({ title, path, words = "", aside, children }: Frame): string {
  const page = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Shipping Integration API`}</title>
        <link rel="stylesheet" href={style.href} />
        <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
      </head>
      <body>
        <a class="to-content" href="#main">
          Skip to the content
        </a>
        <header>
          <a class="brand" href="/docs">
            Shipping Integration API
          </a>
          <search>
            <form action="/docs/search">
              <input
                type="search"
                name="q"
                value={words}
                placeholder="Search the guides"
                aria-label="Search the guides"
              />
              <button type="submit">Search</button>
            </form>
          </search>
        </header>
        <div class="columns">
          <nav aria-label="Guides">
            <ul>
              <Entry path="/docs" current={path} title="Overview" />
              {guides.map((guide) => (
                <Entry path={`/docs/${guide.slug}`} current={path} title={guide.title} />
              ))}
              <Entry path="/docs/reference" current={path} title="API reference" />
            </ul>
          </nav>
          <main id="main">{children}</main>
          {aside && <aside>{aside}</aside>}
        </div>
      </body>
    </html>
  );
  return `<!doctype html>${render(page)}`;
}

function Entry({ path, current, title }: { path: string; current: string; title: string }) {
  return (
    <li>
      <a href={path} {...(path === current && { "aria-current": "page" as const })}>
        {title}
      </a>
    </li>
  );
}
