import type { IncomingMessage } from "node:http";
import { ACCOUNT_HEADER, MCP_PATH, REFUSAL_HEADER, readRefusal } from "@shipping/api/agent-messages";
import { refuseOtherMethods } from "@shipping/kit/http/refuse-request";
import type { Express } from "express";
import type { Middleware } from "../locals.js";

/** Admits the senders of agents' messages for the part `mcp`, and answers and logs the messages that it refuses. */
export function admitMessages(app: Express, admit: Middleware): void {
  for (const method of ["get", "post", "delete"] as const) app[method](MCP_PATH, refuseEarly, admit, answerAdmitted);
  app.use(refuseOtherMethods([{ method: "POST", path: MCP_PATH }]));
}

const refuseEarly: Middleware = (req, _res, next) => {
  const refusal = refusalIn(req);
  if (refusal?.isEarly) throw refusal.failure;
  next();
};

const answerAdmitted: Middleware = (req, res) => {
  const refusal = refusalIn(req);
  if (refusal) throw refusal.failure;
  res.setHeader(ACCOUNT_HEADER, res.locals.admission.caller.accountId);
  res.writeHead(204).end();
};

function refusalIn({ headersDistinct }: IncomingMessage): ReturnType<typeof readRefusal> {
  return readRefusal(headersDistinct[REFUSAL_HEADER]?.[0]);
}
