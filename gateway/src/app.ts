import type { RequestListener, ServerResponse } from "node:http";
import { expressPath } from "@shipping/api/operations/operation";
import { createMessagePrototypes } from "@shipping/kit/http/listen";
import { serveSite } from "@shipping/site/serve-site";
import express from "express";
import type { ApiDeps } from "./api/deps.js";
import type { Route } from "./api/endpoint.js";
import { routes } from "./api/handlers/routes.js";
import { accountOf, type Locals, type Middleware } from "./api/locals.js";
import {
  admitCaller,
  recheckKey,
  requireCarrier,
  requireIdempotencyKey,
  requireScope,
} from "./api/middleware/admit-caller.js";
import { answerRequest } from "./api/middleware/answer-request.js";
import { identifyRequest, logRequest, storeRequest, traceRequest } from "./api/middleware/observe-request.js";
import { readBody, refuseBody } from "./api/middleware/read-body.js";
import {
  paceAnonymous,
  refuseLongQuery,
  refuseMethod,
  refusePath,
  refuseRoute,
  sendError,
} from "./api/middleware/refuse-request.js";
import { serveDocuments } from "./api/serve-documents.js";
import { serveArea } from "./developers/serve-area.js";
import type { DeveloperDeps } from "./developers/session/settings.js";
import { MCP_PATH, serveMcp } from "./mcp/serve-mcp.js";

/** The public HTTP interface. A request passes the middleware from top to bottom, until one of them answers or refuses it. */
export function createApp(deps: ApiDeps & DeveloperDeps) {
  const app = express();
  const site = { hasArea: deps.developerArea !== undefined };
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");

  app.use(logRequest(deps.log, deps.metrics));
  app.use(storeRequest(deps, deps.mcp && MCP_PATH));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refuseMethod);
  app.use(refusePath);
  const admit = admitCaller(deps); // 401, 429: before every operation
  for (const route of routes) {
    const method = route.method.toLowerCase() as "get" | "post" | "delete";
    app[method](expressPath(route), admit, ...getMiddleware(deps, route));
  }
  if (deps.mcp) serveMcp(app, admit, deps, deps.mcp);
  app.use(paceAnonymous(deps));
  app.use(refuseLongQuery);
  const assumed = () => deps.developerArea?.publicUrl ?? deps.ownOrigin();
  // Without the developer area, a deployment may not know its own URL.
  serveDocuments(app, { known: () => (deps.developerArea ? assumed() : ""), assumed });
  serveSite(app, site, assumed);
  if (deps.developerArea) app.use(serveArea(deps, deps.developerArea));
  app.use(refuseRoute(routes));
  app.use(sendError({ ...deps, site }));
  const handler: RequestListener = (req, res) => {
    req.url = toPath(req.url);
    app(req, res);
  };
  const prototypes = createMessagePrototypes(app, (res: ServerResponse & { locals?: Partial<Locals> }) =>
    deps.unread.count(res, accountOf(res.locals ?? {})),
  );
  return { handler, prototypes };
}

/**
 * The path and query of a request target, which may be in absolute form (RFC 9112, 3.2.2). Any other target becomes `//`, which matches no
 * route: Express 5 parses such targets with `url.parse`, which corrects some of them, and answers the others with HTML.
 */
function toPath(target = "/"): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return /^\/[^#\s]*$/.test(path) ? path : "//";
}

/** The middleware of an operation, in the order of their refusals. */
function getMiddleware(deps: ApiDeps, route: Route): Middleware[] {
  if (route.method === "GET") return [requireScope(route.scope), answerRequest(deps, route)]; // 403; 422, 404, the operation
  return [
    requireScope(route.scope), // 403
    requireIdempotencyKey, // 422
    ...(route.needsCarrier ? [requireCarrier] : []), // 503
    route.body ? readBody(route) : refuseBody, // 415, 413, 422
    recheckKey(deps), // 401
    answerRequest(deps, route), // 400, replay or 409, 422, the operation
  ];
}
