import { type Description, identifyRequest, logRequest, traceRequest } from "@shipping/kit/http/observe-request";
import { configureRouting, refuseMethod, refusePath } from "@shipping/kit/http/refuse-request";
import { refuse, unknownRoute } from "@shipping/kit/http/send-answer";
import type { Application } from "@shipping/kit/http/server/public-listener";
import { sendErrorPage, wantsPage } from "@shipping/site/layout/error-page";
import { serveSite } from "@shipping/site/serve-site";
import express from "express";
import type { ApiDeps } from "./api/deps.js";
import { paceAnonymous, refuseLongQuery, sendError } from "./api/middleware/refuse-request.js";
import type { AreaDeps, PageLocals } from "./developers/page/page.js";
import { serveArea } from "./developers/serve-area.js";
import type { DeveloperDeps } from "./developers/session/settings.js";

/** The documentation site and the developer area. Errors are pages if the client is a browser. */
export function createPagesApp(deps: ApiDeps & DeveloperDeps & AreaDeps): Application {
  const app = express();
  configureRouting(app);
  const site = { hasArea: deps.developerArea !== undefined };

  app.use(logRequest<PageLocals>(deps.log, deps.countRequest, describeMember));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refuseMethod);
  app.use(refusePath);
  app.use(paceAnonymous(deps));
  app.use(refuseLongQuery);
  serveSite(app, site, () => deps.developerArea?.publicUrl ?? deps.ownOrigin());
  if (deps.developerArea) app.use(serveArea(deps, deps.developerArea));
  app.use(() => {
    throw unknownRoute();
  });
  app.use(
    sendError(deps, (res, failure, requestId) => {
      if (wantsPage(res.req)) sendErrorPage(res, site, failure, requestId);
      else refuse(res, failure, requestId);
    }),
  );
  return {
    app,
    accountOf: ({ session }: Partial<PageLocals>) => session?.accountId,
    isDelaying: deps.pace.isDelaying,
  };
}

// Two kinds of 503 do not count as outages: the specification requires one where no carrier is configured, and an account at its own limit
// delays only itself.
function describeMember({ session, errorCode, outageCause }: Partial<PageLocals>): Description {
  const names = [errorCode, outageCause];
  const result = names.find((name) => name === "carrier_not_configured" || name === "account_queue");
  return { result, fields: { account: session?.accountId, member: session?.memberId } };
}
