import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Express } from "express";
import { BASE_PATH } from "../api/endpoint.js";
import { serveGuides } from "../guides/serve-guides.js";
import { type Document, documentOf, sendDocument } from "../http/send-document.js";
import { serveSiteAssets } from "../site/site-assets.js";
import type { Site } from "../site/site-header.js";
import { COLLECTION_PATH, collectionText } from "./collection.js";
import { library } from "./guide-library.js";
import { openApiText } from "./openapi-text.js";
import { referencePage, referenceStyle, startScript } from "./reference-page.js";

const DOCUMENT_PATH = `${BASE_PATH}/openapi.json`;
const SCRIPT_TYPE = "text/javascript; charset=utf-8";

// Everything comes from here: no CDN, and no script in the page itself. Swagger UI 5 sets styles inline (swagger-ui #10655) and
// draws icons from data: URLs.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Makes what takes a while to make, so that nobody who asks for something else has to wait for it. */
export function preparePages(): void {
  openApiText();
  library();
}

/** The machine-readable description, the collection and the reference made of it, and the guides, for everyone and without a key. */
export function servePages(app: Express, site: Site, origin: () => string): void {
  const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const asset = (type: string, file: string) => documentOf(type, readFileSync(join(assets, file)));
  const served: Readonly<Record<string, () => Document>> = {
    [DOCUMENT_PATH]: () => documentOf("application/json", openApiText(), { "Cache-Control": "no-store" }),
    [COLLECTION_PATH]: () =>
      documentOf("application/json", collectionText(origin()), {
        "Cache-Control": "no-store",
        "Content-Disposition": 'attachment; filename="shipping.postman_collection.json"',
      }),
    "/docs/reference": () =>
      documentOf("text/html; charset=utf-8", referencePage(site), {
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
      }),
    "/docs/swagger-ui.css": () => asset("text/css; charset=utf-8", "swagger-ui.css"),
    "/docs/swagger-ui-bundle.js": () => asset(SCRIPT_TYPE, "swagger-ui-bundle.js"),
  };
  for (const [path, make] of Object.entries(served)) {
    // Made when somebody asks for it.
    let made: Document | undefined;
    app.get(path, (req, res) => {
      made ??= make();
      sendDocument(req, res, made);
    });
  }
  serveSiteAssets(app);
  for (const asset of [startScript, referenceStyle]) asset.serve(app);
  // Last: its paths take in those above.
  serveGuides(app, site, origin, library);
}
