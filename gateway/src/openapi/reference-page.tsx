import { renderDocument } from "../site/html-document.js";
import { siteStyle } from "../site/site-assets.js";
import { type Site, SiteHeader } from "../site/site-header.js";

/** The page in which Swagger UI draws the reference. */
export function referencePage(site: Site): string {
  return renderDocument({
    title: "API reference",
    styles: [siteStyle, { href: "/docs/swagger-ui.css" }],
    scripts: [{ href: "/docs/swagger-ui-bundle.js" }, { href: "/docs/start.js" }],
    children: (
      <>
        <SiteHeader site={site} part="reference" />
        <main id="main">
          <div id="page" />
        </main>
      </>
    ),
  });
}

/** What starts Swagger UI. It has a dark scheme, which it leaves to its page to choose. */
export function startScript(documentPath: string): string {
  return `const dark = matchMedia("(prefers-color-scheme: dark)");
const choose = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
choose();
dark.addEventListener("change", choose);
SwaggerUIBundle({ url: ${JSON.stringify(documentPath)}, dom_id: "#page", deepLinking: true, validatorUrl: null });
`;
}
