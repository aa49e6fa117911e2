import type { IRouter } from "express";
import type { ComponentChildren, VNode } from "preact";
import { render } from "preact-render-to-string";
import { type Asset, loadAsset } from "../http/send-document.js";
import { SITE_NAME } from "./site-header.js";

/** The style of pages that have none of their own. */
export const siteStyle = loadAsset("/style.css", "site.css", "base.css");

/** The mark of the site, for the tabs of browsers. */
export const mark = loadAsset("/favicon.svg", "mark.svg");

// Browsers ask for it by themselves, and some take no SVG there.
const picture = loadAsset("/favicon.ico", "mark-32.png");

/** The script of pages with examples, for their head: it makes tabs, and buttons that copy. Pages are whole without it. */
export const codeScript = loadAsset("/code.js", "code.js");

/** Serves the style, the script of examples, and the mark as a drawing and as a picture of 32 points. */
export function serveSiteAssets(router: IRouter): void {
  for (const asset of [siteStyle, codeScript, mark, picture]) asset.serve(router);
}

/** A whole document: its head and its body. */
export interface HtmlDocument {
  /** Without the name of the site. */
  title: string;
  /** Its style sheets and scripts, in their order. */
  styles: readonly Pick<Asset, "href">[];
  scripts?: readonly Pick<Asset, "href">[];
  /** Marks the pages of one environment with its colour. */
  environment?: string | undefined;
  /** More for the head. */
  head?: ComponentChildren;
  children: ComponentChildren;
}

/** The document as it is sent. `children` have an element with the id `main`. */
export function renderDocument({ title, styles, scripts = [], environment, head, children }: HtmlDocument): string {
  const document: VNode = (
    <html lang="en" data-environment={environment}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${SITE_NAME}`}</title>
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
