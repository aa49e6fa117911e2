import type { Environment } from "@shipping/kit/caller";
import { AREA_PATH, type Section } from "./page.js";

/** Each environment, described in words. */
export const BAND: Record<Environment, { name: string; says: string }> = {
  sandbox: { name: "Sandbox", says: "Test data. Nothing is charged or shipped." },
  live: { name: "Live", says: "Real orders and shipments." },
};

/** The sections of one environment, whose paths are those of both. */
const OF_ENVIRONMENT: readonly (readonly [Section, string, string])[] = [
  ["overview", "", "Overview"],
  ["shipments", "/shipments", "Shipments"],
  ["orders", "/orders", "Orders"],
  ["labels", "/labels", "Labels"],
  ["requests", "/requests", "Requests"],
  ["webhooks", "/webhooks", "Webhooks"],
  ["keys", "/keys", "API keys"],
];

const OF_ACCOUNT: readonly (readonly [Section, string, string])[] = [
  ["quick-start", "/quick-start", "Quick start"],
  ["members", "/members", "Members"],
  ["audit", "/audit", "Audit log"],
];

/** The ways within the area: to the other environment, its sections, and those of the whole account. */
export function SideNavigation(props: { section: Section | undefined; environment: Environment | undefined }) {
  const { section, environment } = props;
  // From a page of the whole account, the way back is to the sandbox.
  const base = `${AREA_PATH}/${environment ?? "sandbox"}`;
  const shared = OF_ENVIRONMENT.find(([name]) => name === section)?.[1] ?? "";
  return (
    <div class="side">
      <nav aria-label="Environment" class="switch">
        {(["sandbox", "live"] as const).map((target) => (
          <a href={`${AREA_PATH}/${target}${shared}`} aria-current={environment === target ? "true" : undefined}>
            {BAND[target].name}
          </a>
        ))}
      </nav>
      <nav aria-label="Pages">
        <SectionLinks base={base} sections={OF_ENVIRONMENT} current={section} />
        <SectionLinks base={AREA_PATH} sections={OF_ACCOUNT} current={section} />
      </nav>
    </div>
  );
}

function SectionLinks(props: { base: string; sections: typeof OF_ACCOUNT; current: Section | undefined }) {
  const { base, sections, current } = props;
  return (
    <ul>
      {sections.map(([name, path, text]) => (
        <li>
          <a href={base + path} aria-current={current === name ? "page" : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}
