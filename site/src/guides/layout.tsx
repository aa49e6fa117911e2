import { groups } from "@shipping/api/guides";
import { loadAsset } from "@shipping/kit/http/send-document";
import type { ComponentChildren } from "preact";
import { siteAsset } from "../assets/site-asset.js";
import { renderDocument } from "../layout/html-document.js";
import { PageFacts } from "../layout/page-facts.js";
import { type DocsSite, SearchForm, SearchScript } from "../layout/search-form.js";
import { SiteHeader } from "../layout/site-header.js";
import type { Rendered } from "./render-guide.js";

const style = loadAsset(
  "/docs/style.css",
  siteAsset("scale.css"),
  siteAsset("site.css"),
  siteAsset("base.css"),
  siteAsset("code.css"),
  siteAsset("guides.css"),
  siteAsset("search.css"),
);
const script = loadAsset("/docs/script.js", siteAsset("guides.js"));

export const guideAssets = [style, script];

interface Frame {
  title: string;
  /** The sentence that search engines show. */
  about?: string;
  path: string;
  sections?: Rendered["sections"];
  children: ComponentChildren;
}

/** Renders a page with the list of guides and the search. In narrow windows, the lists are collapsed above the text. */
export function renderPage(site: DocsSite, { title, about, path, sections = [], children }: Frame): string {
  const hasSections = sections.length > 1;
  return renderDocument({
    title,
    styles: [style],
    scripts: hasSections ? [script] : [],
    head: (
      <>
        <PageFacts site={site} path={path} about={about} />
        <SearchScript />
      </>
    ),
    children: (
      <>
        <SiteHeader site={site} part="docs">
          <SearchForm index={site.searchIndex} />
        </SiteHeader>
        <div class="columns">
          <nav class="side" aria-label="Guides">
            <div class="fixed">
              <GuideList current={path} />
            </div>
          </nav>
          <div class="menus">
            <Menu title="All guides" of="guides">
              <GuideList current={path} />
            </Menu>
            {hasSections && (
              <Menu title="On this page" of="sections">
                <SectionList sections={sections} />
              </Menu>
            )}
          </div>
          <main id="main">{children}</main>
          {hasSections && (
            <aside aria-labelledby="on-this-page">
              <div class="fixed">
                <h2 id="on-this-page">On this page</h2>
                <SectionList sections={sections} />
              </div>
            </aside>
          )}
        </div>
      </>
    ),
  });
}

function Menu({ title, of, children }: { title: string; of: "guides" | "sections"; children: ComponentChildren }) {
  return (
    <details class={`menu of-${of}`}>
      <summary>{title}</summary>
      <nav aria-label={title}>{children}</nav>
    </details>
  );
}

function SectionList({ sections }: { sections: Rendered["sections"] }) {
  return (
    <ul class="sections">
      {sections.map(({ id, title, level }) => (
        <li class={`level-${level}`}>
          <a href={`#${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  );
}

function GuideList({ current }: { current: string }) {
  return (
    <>
      <ul>
        <Entry path="/docs" current={current} title="Overview" />
      </ul>
      {groups.map(({ name, guides }, n) => (
        <>
          <p class="group">{name}</p>
          <ul>
            {n === groups.length - 1 && <Entry path="/docs/reference" current={current} title="API reference" />}
            {guides.map(({ slug, title, event }) => (
              <Entry path={`/docs/${slug}`} current={current} title={title} isInner={event !== undefined} />
            ))}
          </ul>
        </>
      ))}
    </>
  );
}

type EntryProps = Pick<Frame, "path" | "title"> & { current: string; isInner?: boolean };

function Entry({ path, current, title, isInner }: EntryProps) {
  return (
    <li {...(isInner && { class: "inner" })}>
      <a href={path} {...(path === current && { "aria-current": "page" as const })}>
        {title}
      </a>
    </li>
  );
}
