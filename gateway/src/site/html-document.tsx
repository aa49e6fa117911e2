import type { ComponentChildren, VNode } from "preact";
import { render } from "preact-render-to-string";
import type { Asset } from "../http/asset.js";
import { mark } from "./site-assets.js";
import { SITE_NAME } from "./site-header.js";

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
