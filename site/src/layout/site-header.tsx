import type { ComponentChildren } from "preact";

export const SITE_NAME = "Shipping Platform";

export interface Site {
  /** True if this installation has a developer area. */
  hasArea: boolean;
}

type SitePart = "docs" | "reference" | "developers";

export function SiteHeader({ site, part, children }: { site: Site; part?: SitePart; children?: ComponentChildren }) {
  const link = (target: SitePart, path: string, text: string) => (
    <a href={path} aria-current={part === target ? "true" : undefined}>
      {text}
    </a>
  );
  return (
    <header class="site">
      <a class="brand" href="/docs">
        <Mark />
        {SITE_NAME}
      </a>
      <nav aria-label="Site">
        {link("docs", "/docs", "Guides")}
        {link("reference", "/docs/reference", "API reference")}
        {site.hasArea && link("developers", "/developers", "Developer area")}
      </nav>
      {children}
    </header>
  );
}

// The parcel of `assets/mark.svg`, inline to save a request.
function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="mark-paper" />
      <g class="mark-lines">
        <path d="M6.5 11.5 16 6.5l9.5 5v9.5L16 26l-9.5-5z" />
        <path d="M6.5 11.5 16 16.5l9.5-5M16 16.5V26" />
        <path d="m11 9.2 9.5 5v4" />
      </g>
    </svg>
  );
}
