import { failFields } from "@shipping/kit/errors";
import type { RequestHandler } from "express";
import { findQueryFault } from "./fields.js";

/** Refuses documents and pages whose query is too long. API operations check their queries themselves, after the key. */
export const refuseLongQuery: RequestHandler = (req, _res, next) => {
  const fault = findQueryFault(req.url.slice(req.path.length + 1));
  if (fault) throw failFields([fault], "query");
  next();
};
