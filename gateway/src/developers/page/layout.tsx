import type { Environment } from "@shipping/kit/caller";
import type { ComponentChildren } from "preact";
import type { SignedIn } from "../session/session.js";
import { script, style } from "./assets.js";
import { AREA_PATH, type HtmlPage, type Section } from "./page.js";
import { Text } from "./text.js";

interface Frame {
  page: HtmlPage;
  session: SignedIn | undefined;
  section: Section | undefined;
  /** Undefined on pages that belong to both. */
  environment: Environment | undefined;
}

const BAND: Record<Environment, { name: string; says: string }> = {
  sandbox: { name: "Sandbox", says: "Test data. Nothing here costs or ships anything." },
  live: { name: "Live", says: "Real orders and shipments." },
};

/** A whole page: the navigation and the content. */
export function layout({ page, session, section, environment }: Frame) {
  const place = environment && session ? `${page.title} · ${BAND[environment].name}` : page.title;
  return (
    <html lang="en" data-environment={session && environment}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${place} · Developers`}</title>
        <link rel="stylesheet" href={style.href} />
        <link rel="icon" type="image/png" href="/favicon.ico" />
        <script src={script.href} defer />
      </head>
      <body>
        <a class="to-content" href="#main">
          Skip to the content
        </a>
        {session && <Header session={session} section={section} environment={environment} />}
        <main id="main" class={session ? undefined : "alone"}>
          {page.body}
        </main>
      </body>
    </html>
  );
}

function Header({ session, section, environment }: Omit<Frame, "page"> & { session: SignedIn }) {
  // From a page of the whole account, the way back is to the sandbox.
  const base = `${AREA_PATH}/${environment ?? "sandbox"}`;
  const link = (target: Section, path: string, text: string) => (
    <NavLink path={path} current={section === target}>
      {text}
    </NavLink>
  );
  return (
    <header>
      <div class="top">
        <a class="brand" href={AREA_PATH}>
          Developers
        </a>
        <span class="account">
          <Text>{session.accountName}</Text>
        </span>
        <span class="who">
          <Text>{session.email}</Text> <span class="role">{session.role}</span>
        </span>
        <form method="post" action={`${AREA_PATH}/sign-out`}>
          <button class="quiet" type="submit">
            Sign out
          </button>
        </form>
      </div>
      <div class="ways">
        <nav aria-label="Environment" class="switch">
          {(["sandbox", "live"] as const).map((target) => (
            <NavLink path={`${AREA_PATH}/${target}${sectionPath(section)}`} current={environment === target}>
              {BAND[target].name}
            </NavLink>
          ))}
        </nav>
        <nav aria-label="Pages" class="pages">
          {link("overview", base, "Overview")}
          {link("keys", `${base}/keys`, "Keys")}
          {link("webhooks", `${base}/webhooks`, "Webhooks")}
          {link("quick-start", `${AREA_PATH}/quick-start`, "Quick start")}
          {link("members", `${AREA_PATH}/members`, "Members")}
          {link("audit", `${AREA_PATH}/audit`, "Audit log")}
        </nav>
      </div>
      {environment && (
        <p class="band">
          <strong>{BAND[environment].name}</strong> {BAND[environment].says}
        </p>
      )}
    </header>
  );
}

function NavLink({ path, current, children }: { path: string; current: boolean; children: ComponentChildren }) {
  return (
    <a href={path} aria-current={current ? "page" : undefined}>
      {children}
    </a>
  );
}

function sectionPath(section: Section | undefined): string {
  return section === "keys" || section === "webhooks" ? `/${section}` : "";
}
