import { BASE_PATH, type Operation, PLACEHOLDER } from "@shipping/api/operations/operation";
import { fail } from "@shipping/kit/errors";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { noteFailure, refuse, unknownRoute } from "@shipping/kit/http/send-answer";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { ApiDeps } from "../deps.js";
import type { Locals, Middleware } from "../locals.js";

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

/** Delays requests for documents, which have no API key, to the pace of their IP address. */
export function paceAnonymous({ pace, trustedProxies }: PaceDeps): RequestHandler {
  return async (req, res, next) => {
    const { waitedMs, isDue } = await pace.admit(getClientAddress(req, trustedProxies), res);
    res.locals.pacedMs = waitedMs;
    if (!isDue) throw fail("rate_limited", "Too many pages are requested from your address. Try again in a minute.");
    if (!res.destroyed) next();
  };
}

type PaceDeps = Pick<ApiDeps, "pace" | "trustedProxies">;

/**
 * Answers errors. Must be registered last. Refusals of requests without a valid key are paced, except in an outage, when no key can be
 * checked.
 */
export function sendError({
  log,
  pace,
  trustedProxies,
}: Pick<ApiDeps, "log"> & PaceDeps): ErrorRequestHandler<Record<string, string>, unknown, unknown, unknown, Locals> {
  // Express recognises an error handler by its four parameters.
  return async (error, req, res, _next) => {
    if (res.headersSent || res.destroyed) return void res.destroy();
    const failure = noteFailure(log, res.locals, error);
    res.locals.faults = failure.fields;
    const { admission, pacedMs, requestId = "" } = res.locals as Partial<Locals>;
    if (!admission?.within && pacedMs === undefined && failure.code !== "service_unavailable")
      res.locals.pacedMs = (await pace.delay(getClientAddress(req, trustedProxies), res)).waitedMs;
    if (!res.destroyed) refuse(res, failure, requestId);
  };
}
