import { MCP_PATH } from "@shipping/api/agent-messages";
import { refuseLongQuery } from "@shipping/api/input/refuse-long-query";
import { BASE_PATH, expressPath } from "@shipping/api/operations/operation";
import { nameRefusal } from "@shipping/api/request-status";
import { type Description, identifyRequest, logRequest, traceRequest } from "@shipping/kit/http/observe-request";
import { configureRouting, refuseOtherMethods, refusePath } from "@shipping/kit/http/refuse-request";
import type { Application } from "@shipping/kit/http/server/public-listener";
import express from "express";
import type { ApiDeps } from "./api/deps.js";
import type { Route } from "./api/endpoint.js";
import { routes } from "./api/handlers/routes.js";
import type { Locals, Middleware } from "./api/locals.js";
import {
  admitCaller,
  recheckKey,
  requireCarrier,
  requireIdempotencyKey,
  requireScope,
} from "./api/middleware/admit-caller.js";
import { admitMessages } from "./api/middleware/admit-message.js";
import { answerRequest } from "./api/middleware/answer-request.js";
import { readBody, refuseBody } from "./api/middleware/read-body.js";
import { paceAnonymous, refuseRoute, sendError } from "./api/middleware/refuse-request.js";
import { storeRequest } from "./api/middleware/store-request.js";
import { serveDocuments } from "./api/serve-documents.js";

/**
 * The API and its documents. A request passes the middleware from top to bottom, until one of them answers or refuses it. At the internal port, it also
 * admits the senders of agents' messages.
 */
export function createApiApp(deps: ApiDeps, { isInternal = false } = {}): Application {
  const app = express();
  configureRouting(app);

  app.use(logRequest<Locals>(deps.log, deps.countRequest, describeCaller));
  app.use(storeRequest(deps, isInternal ? MCP_PATH : undefined));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refusePath);
  const admit = admitCaller(deps); // 401, 429: before every operation
  for (const route of routes) {
    const method = route.method.toLowerCase() as "get" | "post" | "delete";
    app[method](expressPath(route), admit, ...getMiddleware(deps, route));
  }
  if (isInternal) admitMessages(app, admit);
  app.use(refuseOtherMethods(routes, BASE_PATH));
  app.use(paceAnonymous(deps));
  app.use(refuseLongQuery);
  const assumed = () => deps.publicUrl ?? deps.ownOrigin();
  const documents = serveDocuments(app, { known: () => (deps.knowsOrigin ? assumed() : ""), assumed });
  app.use(refuseOtherMethods(documents.map((path) => ({ method: "GET", path }))));
  app.use(refuseRoute([...routes.map(({ path }) => path), ...documents.map((path) => path.slice(BASE_PATH.length))]));
  app.use(sendError(deps));
  return {
    app,
    accountOf: ({ admission }: Partial<Locals>) => admission?.caller.accountId,
    isDelaying: deps.pace.isDelaying,
  };
}

function describeCaller({ admission, replayed, ...ended }: Partial<Locals>): Description {
  const { caller, keyId } = admission ?? {};
  const fields = { account: caller?.accountId, environment: caller?.environment, key: keyId, replayed };
  return { result: nameRefusal(ended), fields };
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
