import type { DocsSite } from "./search-form.js";

/** The feed of the changelog. */
export const FEED_PATH = "/docs/changelog.atom";

/** The parts of a page's head that are for search engines and feed readers. `about` is a sentence. */
export function PageFacts({ site, path, about }: { site: DocsSite; path: string; about?: string | undefined }) {
  return (
    <>
      <link rel="canonical" href={site.origin + path} />
      {about && <meta name="description" content={about} />}
      <link rel="alternate" type="application/atom+xml" title="Changelog" href={FEED_PATH} />
    </>
  );
}

/** A link to the page's Markdown, which the script of the page replaces with a button that copies it. */
export function MarkdownLink({ path }: { path: string }) {
  return (
    <p class="twin">
      <a href={`${path}.md`}>View as Markdown</a>
    </p>
  );
}
