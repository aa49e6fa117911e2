import { type Asset, loadAsset } from "@shipping/kit/http/send-document";
import type { ComponentChildren, VNode } from "preact";
import { render } from "preact-render-to-string";
import { siteAsset } from "../assets/site-asset.js";
import { SITE_NAME } from "./site-header.js";

/** The style of pages that have none of their own. */
export const siteStyle = loadAsset("/style.css", siteAsset("scale.css"), siteAsset("site.css"), siteAsset("base.css"));

export const mark = loadAsset("/favicon.svg", siteAsset("mark.svg"));

// Browsers request this path without a link, and some cannot read SVG there.
const picture = loadAsset("/favicon.ico", siteAsset("mark-32.png"));

/** The script of all pages: the theme, and tabs and copy buttons for examples. Pages also work without it. */
const pageScript = loadAsset("/code.js", siteAsset("theme.js"), siteAsset("code.js"));

export const siteAssets = [siteStyle, pageScript, mark, picture];

interface HtmlDocument {
  /** Without the site name. */
  title: string;
  styles: readonly Pick<Asset, "href">[];
  scripts?: readonly Pick<Asset, "href">[];
  /** Sets the colour of the environment. */
  environment?: string | undefined;
  head?: ComponentChildren;
  children: ComponentChildren;
}

/** Renders an HTML document. `children` must contain an element with the ID `main`. */
export function renderDocument({ title, styles, scripts = [], environment, head, children }: HtmlDocument): string {
  const document: VNode = (
    <html lang="en" data-environment={environment}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${SITE_NAME}`}</title>
        {/* Before the styles, so that it does not wait for them, and the first paint has the reader's theme. */}
        <script src={pageScript.href} />
        {styles.map(({ href }) => (
          <link rel="stylesheet" href={href} />
        ))}
        <link rel="icon" type="image/svg+xml" href={mark.href} />
        {head}
        {scripts.map(({ href }) => (
          <script src={href} defer />
        ))}
      </head>
      <body>
        <a class="to-content" href="#main">
          Skip to content
        </a>
        {children}
      </body>
    </html>
  );
  return `<!doctype html>${render(document)}`;
}
