import { createTwins, sendDocument, sendTwin, type Twins } from "@shipping/kit/http/send-document";
import type { IRouter, Request, Response } from "express";
import { redirect } from "../guides/serve-guides.js";
import { SCRIPTED_PAGE_HEADERS } from "../layout/error-page.js";
import type { Site } from "../layout/site-header.js";
import { indexPage } from "./index-page.js";
import { indexMarkdown, operationMarkdown } from "./operation-markdown.js";
import { operationPage } from "./operation-page.js";
import type { Resource } from "./operations.js";
import { REFERENCE_PATH, referenceStyle, tryScript } from "./reference-layout.js";

// The form "Try it" sends requests to the API of this host.
const HEADERS = {
  ...SCRIPTED_PAGE_HEADERS,
  "Content-Security-Policy": `${SCRIPTED_PAGE_HEADERS["Content-Security-Policy"]}; connect-src 'self'`,
};

/** Serves the reference below `/docs` without authentication. Pages are rendered on first use. */
export function serveReference(
  app: IRouter,
  site: Site,
  baseUrl: () => string,
  resources: () => readonly Resource[],
): void {
  const made = new Map<string, Twins>();
  const send = (req: Request, res: Response, path: string, html: () => string, markdown: () => string): void => {
    const twins = made.get(path) ?? createTwins(`${path}.md`, html(), markdown(), HEADERS);
    made.set(path, twins);
    if (req.path === path) sendTwin(req, res, twins);
    else sendDocument(req, res, twins.markdown);
  };
  const find = (id: string) =>
    resources()
      .flatMap((resource) => resource.operations)
      .find((one) => one.id === id);
  const reference = () => ({ resources: resources(), baseUrl: baseUrl() });

  for (const { path, send } of [referenceStyle, tryScript]) app.get(path, send);
  app.get([REFERENCE_PATH, `${REFERENCE_PATH}.md`], (req, res) => {
    const html = () => indexPage(site, reference());
    send(req, res, REFERENCE_PATH, html, () => indexMarkdown(reference()));
  });
  app.get(`${REFERENCE_PATH}/:id`, (req, res, next) => {
    const operation = find(req.params.id.replace(/\.md$/, ""));
    if (!operation) return next();
    const html = () => operationPage(site, reference(), operation);
    send(req, res, operation.href, html, () => operationMarkdown(operation, resources()));
  });
  app.get(`${REFERENCE_PATH}/`, (_req, res) => redirect(res, REFERENCE_PATH));
  app.get(`${REFERENCE_PATH}/:id/`, (req, res, next) => {
    const operation = find(req.params.id);
    if (operation) redirect(res, operation.href);
    else next();
  });
}
