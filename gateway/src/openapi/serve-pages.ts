import type { Express } from "express";
import { BASE_PATH } from "../api/endpoint.js";
import { serveGuides } from "../guides/serve-guides.js";
import { createDocument, type Document, sendDocument } from "../http/send-document.js";
import { serveReference } from "../reference/serve-reference.js";
import { serveSiteAssets } from "../site/html-document.js";
import type { Site } from "../site/site-header.js";
import { COLLECTION_PATH, collectionText } from "./collection.js";
import { library, openApiText, resources } from "./documents.js";
import { llmsFullText, llmsText } from "./llms.js";

/** Creates the slow documents in advance, so that no request has to wait for them. */
export function preparePages(): void {
  library();
}

export function servePages(app: Express, site: Site, origin: () => string): void {
  // Without the developer area, a deployment may not know its own URL.
  const openApi = (version: "3.0" | "3.1") =>
    createDocument("application/json", openApiText(site.hasArea ? origin() : "", version), {
      "Cache-Control": "no-store",
    });
  const reference = () => ({ resources: resources(), baseUrl: origin() + BASE_PATH });
  const text = (content: string) => createDocument("text/plain; charset=utf-8", content);
  const served: Readonly<Record<string, () => Document>> = {
    "/llms.txt": () => text(llmsText(reference())),
    "/llms-full.txt": () => text(llmsFullText(reference(), site, origin())),
    [`${BASE_PATH}/openapi.json`]: () => openApi("3.1"),
    [`${BASE_PATH}/openapi-3.0.json`]: () => openApi("3.0"),
    [COLLECTION_PATH]: () =>
      createDocument("application/json", collectionText(origin()), {
        "Cache-Control": "no-store",
        "Content-Disposition": 'attachment; filename="shipping.postman_collection.json"',
      }),
  };
  for (const [path, make] of Object.entries(served)) {
    let made: Document | undefined;
    app.get(path, (req, res) => {
      made ??= make();
      sendDocument(req, res, made);
    });
  }
  serveSiteAssets(app);
  serveReference(app, site, () => origin() + BASE_PATH, resources);
  // These routes come last, because their path patterns match those above.
  serveGuides(app, site, origin, library, () => llmsText(reference()));
}
