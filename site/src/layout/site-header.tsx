import type { ComponentChildren } from "preact";

export const SITE_NAME = "Shipping Platform";

export interface Site {
  /** True if this installation has a developer area. */
  hasArea: boolean;
}

type SitePart = "docs" | "reference" | "developers";

interface SiteHeaderProps {
  site: Site;
  part?: SitePart;
  /** On phones, these links are in the menu, before those of the site. */
  menu?: ComponentChildren;
  /** The end of the header: who is signed in. */
  account?: ComponentChildren;
  children?: ComponentChildren;
}

/** The header. On phones it has one line: the logo, the search, and a menu with everything else. */
export function SiteHeader({ site, part, menu, account, children }: SiteHeaderProps) {
  const link = (target: SitePart, path: string, text: string) => (
    <a href={path} aria-current={part === target ? "true" : undefined}>
      {text}
    </a>
  );
  const links = (
    <nav aria-label="Site">
      {link("docs", "/docs", "Guides")}
      {link("reference", "/docs/reference", "API reference")}
      {site.hasArea && link("developers", "/developers", "Developer area")}
    </nav>
  );
  return (
    <header class="site">
      <a class="brand" href="/docs">
        <Mark />
        <span>{SITE_NAME}</span>
      </a>
      {links}
      {children}
      <ThemeButton />
      {account}
      <details class="menu">
        <summary class="button quiet">Menu</summary>
        <div class="panel">
          {menu}
          {links}
          <ThemeButton />
        </div>
      </details>
    </header>
  );
}

/** Chooses between the system's colour scheme, light and dark. It is shown only if the script that acts on it runs. */
function ThemeButton() {
  return (
    <button type="button" class="quiet theme">
      <span>Theme: system</span>
    </button>
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
