import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, RequestHandler } from "express";
import { Failure } from "../errors.js";
import { unknownRoute } from "./send-answer.js";

/** Makes an application's routes match paths only as they are written, and its responses not name Express. */
export function configureRouting(app: Express): void {
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");
}

/** Whether a request only reads. HEAD is a GET without the body of the answer (RFC 9110, 9.3.2): Express gives it to the same handlers, and Node sends no body. */
export function isRead({ method }: Pick<IncomingMessage, "method">): boolean {
  return method === "GET" || method === "HEAD";
}

/** A route of an application. Its path may contain placeholders, such as `{id}`. */
export interface RoutePath {
  method: string;
  path: string;
}

/** The 404 for a known path with another method. */
export class MethodRefusal extends Failure {
  constructor(message: string) {
    super("not_found", message);
  }
}

/** Whether a path is that of a route. */
export function isAt(route: string, path: string): boolean {
  const [segments, given] = [route.split("/"), path.split("/")];
  const isSame = (segment: string, nth: number) =>
    segment.startsWith("{") ? given[nth] !== "" : segment === given[nth];
  return segments.length === given.length && segments.every(isSame);
}

// The order in which answers name them.
const METHODS = ["GET", "POST", "DELETE"];

/** Refuses a request whose path has only other methods. `path` is its name in the message. */
export function refuseMethod(
  { method }: Pick<IncomingMessage, "method">,
  res: ServerResponse,
  { path, methods }: { path: string; methods: readonly string[] },
): never {
  const allowed = METHODS.filter((one) => methods.includes(one));
  res.setHeader("Allow", allowed.map((one) => (one === "GET" ? "GET, HEAD" : one)).join(", "));
  throw new MethodRefusal(`No such route: ${method} ${path}. Allowed: ${allowed.join(", ")}.`);
}

/**
 * Refuses requests that match no route only because of their method. Register it after the routes, before their router ends, because Express would
 * answer OPTIONS. It is no route itself, so that these requests are counted together. The paths begin with `base`, which messages leave out.
 */
export function refuseOtherMethods(routes: readonly RoutePath[], base = ""): RequestHandler {
  return (req, res, next) => {
    const found = routes.filter(({ path }) => isAt(base + path, req.path));
    // `/developers/members` is not `/developers/{environment}`.
    const path = (found.find((one) => base + one.path === req.path) ?? found[0])?.path;
    if (path === undefined) return next();
    refuseMethod(req, res, { path, methods: found.filter((one) => one.path === path).map(({ method }) => method) });
  };
}

/** The longest path of the API, which contains a tracking number, is much shorter. */
const MAX_PATH_LENGTH = 500;

/**
 * Refuses early the paths that match no route. Express decodes percent-encoding in paths, but our routes match paths only as they are written, and
 * none contains a character that needs encoding.
 */
export const refusePath: RequestHandler = (req, _res, next) => {
  if (req.path.length > MAX_PATH_LENGTH || req.path.includes("%")) throw unknownRoute();
  next();
};
