import { MCP_PATH } from "@shipping/api/agent-messages";
import { openApiText } from "@shipping/api/openapi/open-api-text";
import { nameRefusal } from "@shipping/api/request-status";
import { identifyRequest, logRequest, measureRequests, traceRequest } from "@shipping/kit/http/observe-request";
import { configureRouting, refuseOtherMethods, refusePath } from "@shipping/kit/http/refuse-request";
import { noteFailure, refuse, unknownRoute } from "@shipping/kit/http/send-answer";
import type { Application } from "@shipping/kit/http/server/public-listener";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { createShippingServer } from "shipping-mcp/server";
import { offered, readTools } from "shipping-mcp/tools";
import { type Admission, createAdmission, Refused } from "./admission.js";
import type { McpDeps, McpLocals } from "./deps.js";
import { bodyWithoutGateway, relay } from "./refuse-message.js";
import { serveMessages } from "./serve-messages.js";
import { REGISTER_PATH, serveRegistration } from "./serve-registration.js";
import { accessIn, shareServer } from "./share-server.js";

const ROUTES = [MCP_PATH, REGISTER_PATH].map((path) => ({ method: "POST", path }));

/** The methods of messages that the gateway admits and refuses. */
const ADMITTED = ["GET", "HEAD", "POST", "DELETE"];

/** The MCP server: a client of the API that answers agents' messages. */
export async function createMcpApp(deps: McpDeps): Promise<Application> {
  const { readOnly, readDocument } = deps;
  const admission = createAdmission(deps);
  const tools = offered(readTools(JSON.parse(openApiText())), { readOnly });
  const server = await shareServer(createShippingServer({ tools, readOnly, accessOf: accessIn, readDocument }));
  const app = express();
  configureRouting(app);
  app.use(dropSlash);

  app.use(logRequest<McpLocals>(deps.log, measureRequests(deps.metrics), describeSender));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refusePath);
  app.use((_req, res, next) => {
    res.locals.isIdentified = true;
    next();
  });
  serveMessages(app, { ...deps, admission, tools, server });
  serveRegistration(app, admission);
  app.use(refuseOtherMethods(ROUTES));
  app.use(() => {
    throw unknownRoute();
  });
  app.use(sendError(deps, admission));
  return {
    app,
    accountOf: ({ accountId }: Partial<McpLocals>) => accountId,
    isDelaying: admission.isWaiting,
  };
}

function describeSender({ accountId, ...ended }: Partial<McpLocals>) {
  return { result: nameRefusal(ended), fields: { account: accountId } };
}

/** Has the gateway refuse bad messages, so that they are paced and logged. If the gateway does not answer, the message is refused here. */
function sendError({ log }: McpDeps, admission: Admission): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return async (error, req, res, _next) => {
    if (res.headersSent || res.destroyed) return void res.destroy();
    if (error instanceof Refused) return relay(error.answer, res);
    const failure = noteFailure(log, res.locals as McpLocals, error);
    if (failure.status === 405) res.setHeader("Allow", "POST");
    const isMessage = req.path === MCP_PATH;
    const isKnownToGateway = isMessage && failure.status < 500 && ADMITTED.includes(req.method);
    const isEarly = !res.locals.isIdentified;
    const answer = isKnownToGateway && (await admission.refuse(req, res, failure, isEarly).catch(() => undefined));
    if (res.destroyed) return;
    if (answer) relay(answer, res);
    else refuse(res, failure, res.locals.requestId ?? "", isMessage ? bodyWithoutGateway : undefined);
  };
}

/** Some hosts put a slash at the end of each URL. A redirect would lose the body of their messages. */
const dropSlash: RequestHandler = (req, _res, next) => {
  if (req.path === `${MCP_PATH}/`) req.url = MCP_PATH;
  next();
};
