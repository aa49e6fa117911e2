import type { Express, Request, Response } from "express";
import { redirect } from "../guides/serve-guides.js";
import { createDocument, type Document, sendDocument } from "../http/send-document.js";
import { SCRIPTED_PAGE_HEADERS } from "../site/error-page.js";
import type { Site } from "../site/site-header.js";
import { indexPage } from "./index-page.js";
import { operationPage } from "./operation-page.js";
import type { Resource } from "./operations.js";
import { anchorScript, REFERENCE_PATH, referenceStyle, tryScript } from "./reference-layout.js";

// The form "Try it" sends requests to the API of this host.
const HEADERS = {
  ...SCRIPTED_PAGE_HEADERS,
  "Content-Security-Policy": `${SCRIPTED_PAGE_HEADERS["Content-Security-Policy"]}; connect-src 'self'`,
};

/** Serves the reference below `/docs` without authentication. Pages are rendered on first use. */
export function serveReference(
  app: Express,
  site: Site,
  baseUrl: () => string,
  resources: () => readonly Resource[],
): void {
  const made = new Map<string, Document>();
  const send = (req: Request, res: Response, path: string, render: () => string): void => {
    const document = made.get(path) ?? createDocument("text/html; charset=utf-8", render(), HEADERS);
    made.set(path, document);
    sendDocument(req, res, document);
  };
  const find = (id: string) =>
    resources()
      .flatMap((resource) => resource.operations)
      .find((one) => one.id === id);
  const reference = () => ({ resources: resources(), baseUrl: baseUrl() });

  for (const asset of [referenceStyle, tryScript, anchorScript]) asset.serve(app);
  app.get(REFERENCE_PATH, (req, res) => send(req, res, REFERENCE_PATH, () => indexPage(site, reference())));
  app.get(`${REFERENCE_PATH}/:id`, (req, res, next) => {
    const operation = find(req.params.id);
    if (operation) send(req, res, operation.href, () => operationPage(site, reference(), operation));
    else next();
  });
  app.get(`${REFERENCE_PATH}/`, (_req, res) => redirect(res, REFERENCE_PATH));
  app.get(`${REFERENCE_PATH}/:id/`, (req, res, next) => {
    const operation = find(req.params.id);
    if (operation) redirect(res, operation.href);
    else next();
  });
}
