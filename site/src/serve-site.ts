import { isRead, refuseMethod } from "@shipping/kit/http/refuse-request";
import type { IRouter, NextFunction, Request, Response } from "express";
import { clientPackages } from "./guides/client-packages.js";
import { figureAssets } from "./guides/figures.js";
import { guideAssets } from "./guides/layout.js";
import { siteAssets } from "./layout/html-document.js";
import { searchAssets } from "./layout/search-form.js";
import type { Site } from "./layout/site-header.js";
import { referenceAssets } from "./reference/reference-layout.js";
import { type RenderedSite, renderSite } from "./render-site.js";

const PATHS = [
  "/",
  "/llms.txt",
  "/llms-full.txt",
  "/robots.txt",
  "/sitemap.xml",
  "/style.css",
  "/code.js",
  "/favicon.svg",
  "/favicon.ico",
  "/docs",
];

/**
 * Serves the documentation site: the guides, the reference, and both as text for agents. `origin` is the URL of this installation. The site is
 * rendered once, by the returned function or for the first request. Its assets do not wait for that.
 */
export function serveSite(router: IRouter, site: Site, origin: () => string): () => Promise<RenderedSite> {
  const packages = clientPackages().map(({ asset }) => asset);
  const all = [...siteAssets, ...searchAssets, ...guideAssets, ...figureAssets, ...referenceAssets, ...packages];
  const assets: RenderedSite = new Map(all.map(({ path, send }) => [path, send]));
  let rendering: Promise<RenderedSite> | undefined;
  const render = () => {
    rendering ??= renderSite(site, origin());
    return rendering;
  };
  const find = async (path: string) => assets.get(path) ?? (await render()).get(path);
  const answer = async (path: string, req: Request, res: Response, next: NextFunction) => {
    const send = await find(path);
    if (send) send(req, res);
    else next();
  };
  router.get([...PATHS, "/docs/"], (req, res, next) => answer(req.path, req, res, next));
  router.get("/docs/*path", (req, res, next) => answer(`/docs/${req.params.path.join("/")}`, req, res, next));
  router.use(async (req, res, next) => {
    const { path } = req;
    const isOurs = PATHS.includes(path) || path.startsWith("/docs/");
    if (isOurs && !isRead(req) && (await find(path))) refuseMethod(req, res, { path, methods: ["GET"] });
    next();
  });
  return render;
}
