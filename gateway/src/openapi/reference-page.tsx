import * as examples from "../api/examples.js";
import { assetOf } from "../http/asset.js";
import { renderDocument } from "../site/html-document.js";
import { siteStyle } from "../site/site-assets.js";
import { type Site, SiteHeader } from "../site/site-header.js";
import { COLLECTION_PATH } from "./collection.js";
import { idempotencyKey } from "./components.js";

/** What starts Swagger UI. */
export const startScript = assetOf("/docs/start.js", "reference.js");
export const referenceStyle = assetOf("/docs/reference.css", "reference.css");

const { order, shipment, label, webhook } = examples;
const ids = [order.id, shipment.id, label.id, label.tracking_number, webhook.id];

/** The page in which Swagger UI draws the reference. */
export function referencePage(site: Site): string {
  return renderDocument({
    title: "API reference",
    styles: [siteStyle, { href: "/docs/swagger-ui.css" }, referenceStyle],
    scripts: [{ href: "/docs/swagger-ui-bundle.js" }, startScript],
    children: (
      <>
        <SiteHeader site={site} part="reference" />
        <main id="main">
          <div class="reference-lead">
            <p>
              Choose “Authorize”, enter a sandbox key, and try the operations from top to bottom. The ids in the
              examples stand for what you made last on this page, and each request gets a fresh idempotency key. An id
              or a key that you enter yourself is sent as it is.
            </p>
            <p>
              To send the same requests from Postman, Bruno or Insomnia, import{" "}
              <a href={COLLECTION_PATH}>the collection</a>.
            </p>
          </div>
          <div id="page" data-key={idempotencyKey.example} data-ids={ids.join(" ")} />
        </main>
      </>
    ),
  });
}
