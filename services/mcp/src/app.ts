import { MCP_PATH } from "@shipping/api/agent-messages";
import { openApiText } from "@shipping/api/openapi/open-api-text";
import { nameRefusal } from "@shipping/api/request-status";
import { identifyRequest, logRequest, measureRequests, traceRequest } from "@shipping/kit/http/observe-request";
import { configureRouting, refuseOtherMethods, refusePath } from "@shipping/kit/http/refuse-request";
import { noteFailure, refuse, unknownRoute } from "@shipping/kit/http/send-answer";
import type { Application } from "@shipping/kit/http/server/public-listener";
import express, { type ErrorRequestHandler } from "express";
import { createShippingServer } from "shipping-mcp/server";
import { offered, readTools } from "shipping-mcp/tools";
import { type Admission, createAdmission, passOn, REFUSAL_HEADERS, Refused } from "./admission.js";
import type { McpDeps, McpLocals } from "./deps.js";
import type { GatewayAnswer } from "./gateway.js";
import { serveMessages } from "./serve-messages.js";
import { accessIn, shareServer } from "./share-server.js";

/** The MCP server: a client of the API that answers agents' messages. */
export async function createMcpApp(deps: McpDeps): Promise<Application> {
  const { readOnly, readDocument } = deps;
  const admission = createAdmission(deps);
  const tools = offered(readTools(JSON.parse(openApiText())), { readOnly });
  const server = await shareServer(createShippingServer({ tools, readOnly, accessOf: accessIn, readDocument }));
  const app = express();
  configureRouting(app);

  app.use(logRequest<McpLocals>(deps.log, measureRequests(deps.metrics), describeSender));
  app.use(traceRequest);
  app.use(identifyRequest(deps.random));
  app.use(refusePath);
  app.use((_req, res, next) => {
    res.locals.isIdentified = true;
    next();
  });
  serveMessages(app, { ...deps, admission, tools, server });
  app.use(refuseOtherMethods([{ method: "POST", path: MCP_PATH }]));
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
    const isMessage = req.path === MCP_PATH && failure.status < 500;
    const isEarly = !res.locals.isIdentified;
    const answer = isMessage && (await admission.refuse(req, res, failure, isEarly).catch(() => undefined));
    if (res.destroyed) return;
    if (answer) relay(answer, res);
    else refuse(res, failure, res.locals.requestId ?? "");
  };
}

/** Sends the gateway's refusal to the sender of the message. */
function relay(answer: GatewayAnswer, res: express.Response): void {
  const { status, headers, body } = answer;
  passOn(headers, res, REFUSAL_HEADERS);
  const { error } = body.length > 0 ? JSON.parse(Buffer.from(body).toString()) : {};
  Object.assign(res.locals, error && { errorCode: error.code, requestId: error.request_id });
  res.writeHead(status, {
    "content-type": "application/json",
    "content-length": headers["content-length"] ?? body.length,
    "cache-control": "no-store",
  });
  res.end(body);
}
