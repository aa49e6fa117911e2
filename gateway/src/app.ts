import type { RequestListener } from "node:http";
import express, { type Express } from "express";
import type { ApiDeps } from "./api/deps.js";
import { expressPath, type ReadRoute, type Route, type WriteRoute } from "./api/endpoint.js";
import { routes } from "./api/endpoints/endpoints.js";
import type { Step } from "./api/locals.js";
import { admitCaller } from "./api/middleware/admit-caller.js";
import { answerRead } from "./api/middleware/answer-read.js";
import { answerWrite } from "./api/middleware/answer-write.js";
import { confirmKey } from "./api/middleware/confirm-key.js";
import { identifyRequest } from "./api/middleware/identify-request.js";
import { logRequest } from "./api/middleware/log-request.js";
import { paceAnonymous } from "./api/middleware/pace-anonymous.js";
import { readBody, refuseBody } from "./api/middleware/read-body.js";
import { recordRequest } from "./api/middleware/record-request.js";
import { refuseEscapes, refuseMethod, refuseRoute } from "./api/middleware/refuse-unknown.js";
import { requireCarrier, requireIdempotencyKey, requireScope } from "./api/middleware/requirements.js";
import { takeTurn } from "./api/middleware/take-turn.js";
import { traceRequest } from "./api/middleware/trace-request.js";
import { sendError } from "./api/send-error.js";
import { serveArea } from "./developers/serve-area.js";
import type { DeveloperDeps } from "./developers/session/settings.js";
import { type MessagePrototypes, messagePrototypesOf } from "./http/message-prototypes.js";
import { servePages } from "./openapi/serve-pages.js";

/** The handler of requests, and the prototypes that a server creates them with. */
export interface App {
  handler: RequestListener;
  prototypes: MessagePrototypes;
}

/** The public side of the gateway. A request takes the steps from top to bottom; the first that refuses ends it. */
export function createApp(deps: ApiDeps & DeveloperDeps): App {
  const app = express();
  const site = { hasArea: deps.developerArea !== undefined };
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");

  app.use(logRequest(deps.log, deps.metrics));
  app.use(recordRequest(deps));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refuseMethod);
  app.use(refuseEscapes);
  const admit = admitCaller(deps); // 401, 429: before every operation
  for (const route of routes) register(app, route, [admit, ...stepsOf(deps, route)]);
  app.use(paceAnonymous(deps));
  servePages(app, site, () => deps.developerArea?.publicUrl ?? deps.ownOrigin());
  if (deps.developerArea) app.use(serveArea(deps, deps.developerArea));
  app.use(refuseRoute(routes));
  app.use(sendError({ ...deps, site }));
  const handler: RequestListener = (req, res) => {
    req.url = pathOf(req.url);
    app(req, res);
    // A document is answered by now. `takeTurn` adds the answers of accounts.
    deps.waiting.add(res, undefined);
  };
  return { handler, prototypes: messagePrototypesOf(app) };
}

/**
 * The path and query of a request target, which may be a whole address (RFC 9112, 3.2.2). What is neither becomes `//`, which is no
 * route: Express 5 takes such targets apart with `url.parse`, which mends some, and answers HTML to those it cannot read.
 */
function pathOf(target = "/"): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return /^\/[^#\s]*$/.test(path) ? path : "//";
}

function register(app: Express, route: Route, steps: Step[]): void {
  const method = route.method.toLowerCase() as "get" | "post" | "delete";
  app[method](expressPath(route), ...steps);
}

function stepsOf(deps: ApiDeps, route: Route): Step[] {
  return route.method === "GET" ? readSteps(deps, route) : writeSteps(deps, route);
}

function readSteps(deps: ApiDeps, route: ReadRoute): Step[] {
  return [
    requireScope(route.scope), // 403
    takeTurn(deps, route, answerRead(deps, route)), // 422, 404, the operation
  ];
}

function writeSteps(deps: ApiDeps, route: WriteRoute): Step[] {
  return [
    requireScope(route.scope), // 403
    requireIdempotencyKey, // 422
    ...(route.needsCarrier ? [requireCarrier] : []), // 503
    route.body ? readBody : refuseBody, // 415, 413, 422
    confirmKey(deps), // 401
    takeTurn(deps, route, answerWrite(deps, route)), // 400, replay or 409, 422, the operation
  ];
}
