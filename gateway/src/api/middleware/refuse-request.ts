import { BASE_PATH } from "@shipping/api/operations/operation";
import { fail } from "@shipping/kit/errors";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { isAt } from "@shipping/kit/http/refuse-request";
import { noteFailure, refuse, unknownRoute } from "@shipping/kit/http/send-answer";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { ApiDeps } from "../deps.js";
import type { Locals, Middleware } from "../locals.js";

/** How a path may differ from that of a route, and what the message says about it. The first that applies is named. */
const MISTAKES: readonly [isMade: (path: string) => boolean, sentence: string][] = [
  [(path) => path.endsWith("/"), "The path ends with a slash."],
  [(path) => path.includes("//"), "The path has a double slash."],
  [(path) => !path.startsWith(`${BASE_PATH}/`), `The API begins at ${BASE_PATH}.`],
];

const BASE_SEGMENTS = BASE_PATH.split("/").length - 1;
const BASE_SEGMENT = /^(?:api|v\d{1,3})$/;

/** Refuses requests that match no route. If a route has nearly the same path, the message says what is wrong, and contains the right path. */
export function refuseRoute(paths: readonly string[]): Middleware {
  return (req) => {
    const segments = req.path.toLowerCase().split("/").filter(Boolean);
    const start = segments.findIndex((segment) => !BASE_SEGMENT.test(segment));
    const path = `/${segments.slice(start).join("/")}`;
    const similar = start < 0 ? undefined : paths.find((route) => isAt(route.toLowerCase(), path));
    if (!similar) throw unknownRoute();
    const [, mistake] = MISTAKES.find(([isMade]) => isMade(req.path)) ?? [];
    const repeated = segments.slice(BASE_SEGMENTS, start).join("/");
    const other = repeated ? `The path has /${repeated} after ${BASE_PATH}.` : "The path has capital letters.";
    throw fail("not_found", `${mistake ?? other} Use the path ${BASE_PATH}${similar}.`);
  };
}

/** Delays requests for documents, which have no API key, to the pace of their IP address. */
export function paceAnonymous({ pace, trustedProxies }: PaceDeps): RequestHandler {
  return async (req, res, next) => {
    const { waitedMs, isDue } = await pace.admit(getClientAddress(req, trustedProxies), res);
    res.locals.pacedMs = waitedMs;
    if (!isDue) throw fail("rate_limited", "Too many pages are requested from your IP address. Try again in a minute.");
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
