import type { ComponentChildren } from "preact";
import { assetOf } from "../http/asset.js";
import { renderDocument } from "../site/html-document.js";
import { codeScript } from "../site/site-assets.js";
import { type Site, SiteHeader } from "../site/site-header.js";
import { guides } from "./guides.js";
import { SearchForm } from "./search-form.js";

export const style = assetOf("/docs/style.css", "site.css", "base.css", "code.css", "guides.css");

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
export function renderPage(site: Site, { title, path, words = "", aside, children }: Frame): string {
  return renderDocument({
    title,
    styles: [style],
    head: <script src={codeScript.href} />,
    children: (
      <>
        <SiteHeader site={site} part="docs">
          <SearchForm words={words} />
        </SiteHeader>
        <div class="columns">
          <nav class="side" aria-label="Guides">
            <ul>
              <Entry path="/docs" current={path} title="Overview" />
              {guides.map((guide) => (
                <Entry
                  path={`/docs/${guide.slug}`}
                  current={path}
                  title={guide.title}
                  isInner={guide.event !== undefined}
                />
              ))}
              <Entry path="/docs/reference" current={path} title="API reference" />
            </ul>
          </nav>
          <main id="main">{children}</main>
          {aside && <aside>{aside}</aside>}
        </div>
      </>
    ),
  });
}

interface EntryOf {
  path: string;
  current: string;
  title: string;
  /** Whether it belongs to the entry above it. */
  isInner?: boolean;
}

function Entry({ path, current, title, isInner }: EntryOf) {
  return (
    <li {...(isInner && { class: "inner" })}>
      <a href={path} {...(path === current && { "aria-current": "page" as const })}>
        {title}
      </a>
    </li>
  );
}
