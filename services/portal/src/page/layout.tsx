import { SEARCH_FIELD } from "@shipping/api/input/fields";
import { getCapabilities } from "@shipping/api/limits";
import type { Environment } from "@shipping/kit/caller";
import { createDocument, loadAsset, sendDocument } from "@shipping/kit/http/send-document";
import { siteAsset } from "@shipping/site/assets/site-asset";
import { renderDocument } from "@shipping/site/layout/html-document";
import { SiteHeader } from "@shipping/site/layout/site-header";
import type { Router } from "express";
import type { SignedIn } from "../session/session.js";
import { DoneMessage } from "./done.js";
import { Form, FormAccount, Input } from "./form.js";
import {
  ACCOUNT_SECTIONS,
  AREA_PATH,
  ENVIRONMENT_SECTIONS,
  type HtmlPage,
  isPerEnvironment,
  type PageLocals,
  type Section,
} from "./page.js";
import { Name, Note, Text } from "./text.js";

// The relative path is the same from `src` and from `dist`.
const ownAsset = (name: string) => new URL(`../../assets/${name}`, import.meta.url);

const style = loadAsset(
  `${AREA_PATH}/style.css`,
  siteAsset("scale.css"),
  ...["site.css", "base.css", "code.css"].map(siteAsset),
  ...[
    "developers.css",
    "lists.css",
    "resources.css",
    "requests.css",
    "charts.css",
    "overview.css",
    "dialogs.css",
    "print.css",
  ].map(ownAsset),
);
const script = loadAsset(
  `${AREA_PATH}/script.js`,
  ...(["developers.js", "ask.js", "save.js", "live.js"].map(ownAsset) as [URL, ...URL[]]),
);
export const CLEAR_PATH = `${AREA_PATH}/clear.gif`;

// A transparent pixel as GIF.
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Serves the style, the script, and the image with which a browser clears its cache after sign-out, and returns their paths. */
export function serveAssets(router: Router): string[] {
  for (const { path, send } of [style, script]) router.get(path, send);
  const clear = createDocument("image/gif", GIF, { "Cache-Control": "no-store", "Clear-Site-Data": '"cache"' });
  router.get(CLEAR_PATH, (req, res) => sendDocument(req, res, clear));
  return [style.path, script.path, CLEAR_PATH];
}

export function renderArea(page: HtmlPage, { page: route, session, environment: visited, done }: PageLocals): string {
  const section = session && route?.section;
  // Undefined on pages of the whole account.
  const environment = route && isPerEnvironment(route) ? visited : undefined;
  const place = environment && session ? `${page.title} · ${ENVIRONMENTS[environment].name}` : page.title;
  return renderDocument({
    title: place,
    styles: [style],
    scripts: [script],
    environment: session && environment,
    children: (
      <>
        <SiteHeader
          site={{ hasArea: true }}
          part="developers"
          account={session && <Account session={session} />}
          menu={session && <PhoneMenu session={session} section={section} environment={environment} />}
        >
          {session && <SearchForm environment={environment ?? "sandbox"} text={page.searched} />}
        </SiteHeader>
        {session && <EnvironmentBand section={section} environment={environment} />}
        {session ? (
          <div class="columns">
            <div class="side wide">
              <PageNavigation section={section} environment={environment} />
            </div>
            <main id="main" data-live={page.live}>
              {session.suspended && (
                <Note kind="danger">
                  This account is suspended. Its API keys are rejected, its webhook deliveries are on hold, and nothing
                  can be changed. Contact the operator of the platform.
                </Note>
              )}
              {done && <DoneMessage done={done} environment={visited} />}
              <FormAccount.Provider value={session}>{page.body}</FormAccount.Provider>
            </main>
          </div>
        ) : (
          <main id="main" class="alone">
            {done && <DoneMessage done={done} environment={visited} />}
            {page.body}
          </main>
        )}
      </>
    ),
  });
}

export const searchQuery = { q: SEARCH_FIELD };

function SearchForm({ environment, text }: { environment: Environment; text: string | undefined }) {
  const label = `Search ${environment}`;
  return (
    <search>
      <Form fields={searchQuery} action={`${AREA_PATH}/${environment}/search`}>
        <Input type="search" name="q" value={text} placeholder="Search" aria-label={label} />
        <button type="submit">Search</button>
      </Form>
    </search>
  );
}

function Account({ session }: { session: SignedIn }) {
  return (
    <div class="account">
      <div class="who">
        <Name>{session.accountName}</Name>
        <span>
          <Text>{session.email}</Text> <span class="role">{session.role}</span>{" "}
          <a href={`${AREA_PATH}/accounts`}>Accounts</a>
        </span>
      </div>
      <form method="post" action={`${AREA_PATH}/sign-out`}>
        <button class="quiet" type="submit">
          Sign out
        </button>
      </form>
    </div>
  );
}

const ENVIRONMENTS: Record<Environment, { name: string; says: string }> = {
  sandbox: { name: "Sandbox", says: "Test data. Nothing is charged or shipped." },
  live: { name: "Live", says: "Real orders and shipments." },
};

interface Place {
  section: Section | undefined;
  /** Undefined on pages of the whole account. */
  environment: Environment | undefined;
}

/** Below the header: the switch between the environments, and a sentence about the present one. */
function EnvironmentBand({ section, environment }: Place) {
  const shared = section && section in ENVIRONMENT_SECTIONS ? pathOf(section) : "";
  return (
    <div class={environment ? "band" : "band none"}>
      <nav aria-label="Environment" class="switch">
        {(["sandbox", "live"] as const).map((target) => (
          <a href={`${AREA_PATH}/${target}${shared}`} aria-current={environment === target ? "true" : undefined}>
            {ENVIRONMENTS[target].name}
          </a>
        ))}
      </nav>
      <aside aria-label="About this environment">
        {environment ? ENVIRONMENTS[environment].says : "The whole account, sandbox and live."}
        {environment &&
          !getCapabilities(environment).labels &&
          " No carrier is connected yet: no rates, labels or tracking."}
      </aside>
    </div>
  );
}

/** The pages of this environment, and those of the whole account, which link to the sandbox. */
function PageNavigation({ section, environment }: Place) {
  return (
    <nav aria-label="Pages">
      <SectionLinks
        base={`${AREA_PATH}/${environment ?? "sandbox"}`}
        sections={ENVIRONMENT_SECTIONS}
        current={section}
      />
      <SectionLinks base={AREA_PATH} sections={ACCOUNT_SECTIONS} current={section} />
    </nav>
  );
}

function PhoneMenu({ session, ...place }: Place & { session: SignedIn }) {
  return (
    <>
      <PageNavigation {...place} />
      <Account session={session} />
    </>
  );
}

function SectionLinks(props: {
  base: string;
  sections: Partial<Record<Section, string>>;
  current: string | undefined;
}) {
  const { base, sections, current } = props;
  return (
    <ul>
      {Object.entries(sections).map(([name, text]) => (
        <li>
          <a href={base + pathOf(name)} aria-current={current === name ? "page" : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

const pathOf = (section: string) => (section === "overview" ? "" : `/${section}`);
