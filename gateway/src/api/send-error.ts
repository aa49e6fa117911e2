import type { ErrorRequestHandler } from "express";
import { noteFailure } from "../http/failure-of.js";
import { refuse } from "../http/send.js";
import { sourceOf } from "../http/source.js";
import { sendErrorPage, wantsPage } from "../site/error-page.js";
import type { Site } from "../site/site-header.js";
import type { ApiDeps } from "./deps.js";
import type { Locals } from "./locals.js";

/**
 * Catches the errors of all requests but those for pages of the developer area (`sendRefusal`). Registered last: whatever was thrown before
 * ends here. Refusals of requests that were not admitted are paced, except in an outage, when nobody can be admitted.
 */
export function sendError({
  log,
  pace,
  trustedProxies,
  site,
}: Pick<ApiDeps, "log" | "pace" | "trustedProxies"> & { site: Site }): ErrorRequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  unknown,
  Locals
> {
  // Express knows an error handler by its four parameters.
  return async (error, req, res, _next) => {
    // Part of an answer was sent, or the client is gone.
    if (res.headersSent || res.destroyed) return void res.destroy();
    const failure = noteFailure(log, res.locals, error);
    res.locals.faults = failure.fields;
    const { admission, pacedMs, requestId = "" } = res.locals as Partial<Locals>;
    if (!admission?.within && pacedMs === undefined && failure.code !== "service_unavailable")
      res.locals.pacedMs = await pace.turn(sourceOf(req, trustedProxies), res);
    if (res.destroyed) return;
    if (wantsPage(req)) sendErrorPage(res, site, failure, requestId);
    else refuse(res, failure, requestId);
  };
}
