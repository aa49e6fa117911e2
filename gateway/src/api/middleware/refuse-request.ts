import { findQueryFault } from "@shipping/api/input/fields";
import { BASE_PATH, type Operation, PLACEHOLDER } from "@shipping/api/operations/operation";
import { fail, failFields } from "@shipping/kit/errors";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { noteFailure, refuse, unknownRoute } from "@shipping/kit/http/send-answer";
import { sendErrorPage, wantsPage } from "@shipping/site/layout/error-page";
import type { Site } from "@shipping/site/layout/site-header";
import type { ErrorRequestHandler } from "express";
import type { ApiDeps } from "../deps.js";
import type { Locals, Middleware } from "../locals.js";

const METHODS = new Set(["GET", "POST", "DELETE"]);

/** Express would answer HEAD for every GET, and OPTIONS for every path. Here, both are unknown routes. */
export const refuseMethod: Middleware = (req, _res, next) => {
  if (!METHODS.has(req.method)) throw unknownRoute();
  next();
};

/** The longest path of the API, which contains a tracking number, is much shorter. */
const MAX_PATH_LENGTH = 500;

/**
 * Refuses early the paths that match no route. Express decodes percent-encoding in paths, but our routes match paths only as they are written, and
 * none contains a character that needs encoding.
 */
export const refusePath: Middleware = (req, _res, next) => {
  if (req.path.length > MAX_PATH_LENGTH || req.path.includes("%")) throw unknownRoute();
  next();
};

/** Refuses documents whose query is too long. API operations check their queries themselves, after the key. */
export const refuseLongQuery: Middleware = (req, _res, next) => {
  const fault = findQueryFault(req.url.slice(req.path.length + 1));
  if (fault) throw failFields([fault], "query");
  next();
};

/** Refuses requests that match no route. If only the base path is missing or wrong, the error message contains the right path. */
export function refuseRoute(routes: readonly Pick<Operation, "path">[]): Middleware {
  const patterns = routes.map(({ path }) => ({
    path,
    pattern: new RegExp(`^(?:/api)?(?:/v\\d+)?${path.replace(PLACEHOLDER, "[^/]+")}$`),
  }));
  return (req) => {
    const similar = patterns.find(({ pattern }) => pattern.test(req.path));
    if (!similar || req.path.startsWith(`${BASE_PATH}/`)) throw unknownRoute();
    throw fail("not_found", `The API begins at ${BASE_PATH}. Use the path ${BASE_PATH}${similar.path}.`);
  };
}

/** Delays requests for pages, which have no API key, to the pace of their IP address, and charges the address for their CPU time. */
export function paceAnonymous({ pace, trustedProxies }: ApiDeps): Middleware {
  return async (req, res, next) => {
    const address = getClientAddress(req, trustedProxies);
    const { waitedMs, isDue } = await pace.admit(address, res);
    res.locals.pacedMs = waitedMs;
    if (!isDue) throw fail("rate_limited", "Too many pages are requested from your address. Try again in a minute.");
    if (res.destroyed) return;
    const meter = pace.measure(address);
    res.locals.meter = meter;
    // Node emits `prefinish` within `res.end`, and `finish` only after other work. If the client has disconnected, the handler and the measurement
    // continue.
    res.once("prefinish", meter.end);
    next();
  };
}

/**
 * Answers errors, except those of pages of the developer area (`sendRefusal`). Must be registered last. Refusals of requests without a valid key are
 * paced, except in an outage, when no key can be checked.
 */
export function sendError(
  deps: Pick<ApiDeps, "log" | "pace" | "trustedProxies"> & { site: Site },
): ErrorRequestHandler<Record<string, string>, unknown, unknown, unknown, Locals> {
  const { log, pace, trustedProxies, site } = deps;
  // Express recognises an error handler by its four parameters.
  return async (error, req, res, _next) => {
    if (res.headersSent || res.destroyed) return void res.destroy();
    const failure = noteFailure(log, res.locals, error);
    res.locals.faults = failure.fields;
    const { admission, pacedMs, requestId = "" } = res.locals as Partial<Locals>;
    if (!admission?.within && pacedMs === undefined && failure.code !== "service_unavailable")
      res.locals.pacedMs = (await pace.delay(getClientAddress(req, trustedProxies), res)).waitedMs;
    if (res.destroyed) return;
    if (wantsPage(req)) sendErrorPage(res, site, failure, requestId);
    else refuse(res, failure, requestId);
  };
}
