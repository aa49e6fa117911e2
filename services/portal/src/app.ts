import { refuseLongQuery } from "@shipping/api/input/refuse-long-query";
import { nameRefusal } from "@shipping/api/request-status";
import { getClientAddress } from "@shipping/kit/http/client-address";
import {
  type CountRequest,
  type Description,
  identifyRequest,
  logRequest,
  traceRequest,
} from "@shipping/kit/http/observe-request";
import { configureRouting, refusePath } from "@shipping/kit/http/refuse-request";
import { noteFailure, refuse, unknownRoute } from "@shipping/kit/http/send-answer";
import type { Application } from "@shipping/kit/http/server/public-listener";
import { sendErrorPage, wantsPage } from "@shipping/site/layout/error-page";
import { serveSite } from "@shipping/site/serve-site";
import express, { type ErrorRequestHandler } from "express";
import { createPageLimits, DEFAULT_PAGE_LIMITS } from "./limits/page-limits.js";
import type { AreaDeps, PageLocals } from "./page/page.js";
import { serveArea } from "./serve-area.js";
import type { AreaSettingsDeps } from "./session/settings.js";

type PortalAppDeps = AreaDeps & AreaSettingsDeps & { countRequest: CountRequest };

export interface PortalApplication extends Application {
  /** Renders the documentation site. Until then, its first request waits for that. */
  renderSite(): Promise<unknown>;
}

/** The documentation site and the developer area. Errors are pages if the client is a browser. */
export function createPortalApp(deps: PortalAppDeps): PortalApplication {
  const app = express();
  configureRouting(app);
  const site = { hasArea: deps.developerArea !== undefined };
  const limits = createPageLimits(deps.pageLimits ?? DEFAULT_PAGE_LIMITS);

  app.use(logRequest<PageLocals>(deps.log, deps.countRequest, describeMember));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refusePath);
  app.use(async (req, res, next) => {
    await limits.countClient(getClientAddress(req, deps.trustedProxies), res);
    next();
  });
  app.use(refuseLongQuery);
  const renderSite = serveSite(app, site, () => deps.developerArea?.publicUrl ?? deps.ownOrigin());
  if (deps.developerArea) app.use(serveArea(deps, deps.developerArea, limits));
  app.use(() => {
    throw unknownRoute();
  });
  app.use(sendError(deps, site));
  return {
    app,
    accountOf: ({ session }: Partial<PageLocals>) => session?.accountId,
    isDelaying: () => false,
    renderSite,
  };
}

// Express recognises an error handler by its four parameters.
function sendError({ log }: Pick<PortalAppDeps, "log">, site: { hasArea: boolean }): ErrorRequestHandler {
  return (error, req, res, _next) => {
    if (res.headersSent || res.destroyed) return void res.destroy();
    const failure = noteFailure(log, res.locals as PageLocals, error);
    const { requestId = "" } = res.locals;
    if (wantsPage(req)) sendErrorPage(res, site, failure, requestId);
    else refuse(res, failure, requestId);
  };
}

function describeMember({ session, ...ended }: Partial<PageLocals>): Description {
  return { result: nameRefusal(ended), fields: { account: session?.accountId, member: session?.memberId } };
}
