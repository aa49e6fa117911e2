import type { RequestListener } from "node:http";
import express, { type Express } from "express";
import type { AppDeps } from "../deps.js";
import { serveArea } from "../developers/serve-area.js";
import { type MessageClasses, messageClassesOf } from "../http/message-prototypes.js";
import { servePages } from "../openapi/serve-pages.js";
import { expressPath, type ReadRoute, type Route, type WriteRoute } from "./endpoint.js";
import { routes } from "./endpoints.js";
import type { Step } from "./locals.js";
import { admitCaller } from "./middleware/admit-caller.js";
import { answerRead } from "./middleware/answer-read.js";
import { answerWrite } from "./middleware/answer-write.js";
import { identifyRequest } from "./middleware/identify-request.js";
import { logRequest } from "./middleware/log-request.js";
import { paceStrangers } from "./middleware/pace-strangers.js";
import { readBody, refuseBody } from "./middleware/read-body.js";
import { refuseEscapes, refuseMethod, refuseRoute } from "./middleware/refuse-unknown.js";
import { requireCarrier, requireIdempotencyKey, requireScope } from "./middleware/requirements.js";
import { takeTurn } from "./middleware/take-turn.js";
import { traceRequest } from "./middleware/trace-request.js";
import { sendError } from "./send-error.js";

/** What answers requests, and what a server is to make them of. */
export interface App {
  handler: RequestListener;
  classes: MessageClasses;
}

/** The public side of the gateway. A request takes the steps from top to bottom; the first that refuses ends it. */
export function createApp(deps: AppDeps): App {
  const app = express();
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");

  app.use(logRequest(deps.log, deps.metrics));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refuseMethod);
  app.use(refuseEscapes);
  const admit = admitCaller(deps); // 401, 429: before every operation
  for (const route of routes) register(app, route, [admit, ...stepsOf(deps, route)]);
  app.use(paceStrangers(deps));
  servePages(app);
  if (deps.developerArea) app.use(serveArea(deps, deps.developerArea));
  app.use(refuseRoute);
  app.use(sendError(deps));
  const handler: RequestListener = (req, res) => {
    req.url = pathOf(req.url);
    app(req, res);
    // A document has its answer by now. `takeTurn` sees to those of accounts.
    deps.waiting.add(res, undefined);
  };
  return { handler, classes: messageClassesOf(app) };
}

/**
 * The path and query of a request target, which may be a whole address (RFC 9112, 3.2.2). What is neither becomes `/`, which is no
 * route: Express 5 takes such targets apart with `url.parse`, which mends some, and answers HTML to those it cannot read.
 */
function pathOf(target = "/"): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return /^\/[^#\s]*$/.test(path) ? path : "/";
}

function register(app: Express, route: Route, steps: Step[]): void {
  const method = route.method.toLowerCase() as "get" | "post" | "delete";
  app[method](expressPath(route), ...steps);
}

function stepsOf(deps: AppDeps, route: Route): Step[] {
  return route.method === "GET" ? readSteps(deps, route) : writeSteps(deps, route);
}

function readSteps(deps: AppDeps, route: ReadRoute): Step[] {
  return [
    requireScope(route.scope), // 403
    takeTurn(deps, route, answerRead(deps, route)), // 422, 404, the operation
  ];
}

function writeSteps(deps: AppDeps, route: WriteRoute): Step[] {
  return [
    requireScope(route.scope), // 403
    requireIdempotencyKey, // 422
    ...(route.needsCarrier ? [requireCarrier] : []), // 503
    route.body ? readBody : refuseBody, // 415, 413, 422
    takeTurn(deps, route, answerWrite(deps, route)), // 400, replay or 409, 422, the operation
  ];
}
