import { BASE_PATH } from "@shipping/api/operations/operation";
import { createDocument, type Document, sendDocument } from "@shipping/kit/http/send-document";
import type { IRouter } from "express";
import { library, resources } from "./documents.js";
import { serveGuides } from "./guides/serve-guides.js";
import { serveSiteAssets } from "./layout/html-document.js";
import type { Site } from "./layout/site-header.js";
import { llmsFullText, llmsText } from "./llms.js";
import { serveReference } from "./reference/serve-reference.js";

/** Creates the slow documents in advance, so that no request has to wait for them. */
export function prepareSite(): void {
  library();
}

/** Serves the documentation site: the guides, the reference, and both as text for agents. `origin` is the URL of this installation. */
export function serveSite(router: IRouter, site: Site, origin: () => string): void {
  const reference = () => ({ resources: resources(), baseUrl: origin() + BASE_PATH });
  const served: Readonly<Record<string, () => string>> = {
    "/llms.txt": () => llmsText(reference()),
    "/llms-full.txt": () => llmsFullText(reference(), site, origin()),
  };
  for (const [path, makeText] of Object.entries(served)) {
    let made: Document | undefined;
    router.get(path, (req, res) => {
      made ??= createDocument("text/plain; charset=utf-8", makeText());
      sendDocument(req, res, made);
    });
  }
  serveSiteAssets(router);
  serveReference(router, site, () => origin() + BASE_PATH, resources);
  // These routes come last, because their path patterns match those above.
  serveGuides(router, site, origin, library, () => llmsText(reference()));
}
