import { type Asset, loadAsset } from "@shipping/kit/http/send-document";
import type { ComponentChildren } from "preact";
import { siteAsset } from "../assets/site-asset.js";
import { renderDocument } from "../layout/html-document.js";
import { PageFacts } from "../layout/page-facts.js";
import { type DocsSite, SearchForm, SearchScript } from "../layout/search-form.js";
import { SiteHeader } from "../layout/site-header.js";
import type { Resource } from "./operations.js";

export const REFERENCE_PATH = "/docs/reference";

const referenceStyle = loadAsset(
  "/docs/reference.css",
  siteAsset("scale.css"),
  ...["site.css", "base.css", "code.css", "guides.css", "reference.css", "search.css"].map(siteAsset),
);
export const tryScript = loadAsset("/docs/try-it.js", siteAsset("try-it.js"));

export const referenceAssets = [referenceStyle, tryScript];

/** The data for all pages of the reference. */
export interface Reference {
  resources: readonly Resource[];
  /** The base URL of the API. */
  baseUrl: string;
}

interface Frame {
  title: string;
  /** The sentence that search engines show. */
  about: string;
  /** The path of the page, highlighted in the list. */
  path: string;
  script?: Pick<Asset, "href">;
  children: ComponentChildren;
}

/** Renders a page of the reference with the list of operations and the search. */
export function renderReference(
  site: DocsSite,
  { resources }: Reference,
  { title, about, path, script, children }: Frame,
): string {
  return renderDocument({
    title,
    styles: [referenceStyle],
    scripts: script ? [script] : [],
    head: (
      <>
        <PageFacts site={site} path={path} about={about} />
        <SearchScript />
      </>
    ),
    children: (
      <>
        <SiteHeader site={site} part="reference">
          <SearchForm index={site.searchIndex} />
        </SiteHeader>
        <div class="columns reference">
          <nav class="side" aria-label="Operations">
            <ul>
              <li>
                <a href={REFERENCE_PATH} {...currentAt(REFERENCE_PATH, path)}>
                  Overview
                </a>
              </li>
              {resources.map(({ name, operations }) => (
                <li>
                  <a href={`${REFERENCE_PATH}#${name}`} class="resource">
                    {toTitle(name)}
                  </a>
                  <ul>
                    {operations.map(({ href, route }) => (
                      <li>
                        <a href={href} {...currentAt(href, path)}>
                          <Method method={route.method} /> {route.summary}
                        </a>
                      </li>
                    ))}
                  </ul>
                </li>
              ))}
            </ul>
          </nav>
          <main id="main">{children}</main>
        </div>
      </>
    ),
  });
}

function currentAt(href: string, path: string) {
  return href === path ? { "aria-current": "page" as const } : {};
}

/** A resource as a heading: `labels` becomes `Labels`. */
export function toTitle(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export function Method({ method }: { method: string }) {
  return <span class={`method ${method.toLowerCase()}`}>{method}</span>;
}

/** A text with code between backticks. */
export function Prose({ children }: { children: string }) {
  return <>{children.split("`").map((part, index) => (index % 2 ? <code>{part}</code> : part))}</>;
}
