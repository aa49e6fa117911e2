import type { Express, RequestHandler } from "express";
import { unknownRoute } from "./send-answer.js";

/** Makes an application's routes match paths only as they are written, and its responses not name Express. */
export function configureRouting(app: Express): void {
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");
}

const METHODS = new Set(["GET", "POST", "DELETE"]);

/** Express would answer HEAD for every GET, and OPTIONS for every path. Here, both are unknown routes. */
export const refuseMethod: RequestHandler = (req, _res, next) => {
  if (!METHODS.has(req.method)) throw unknownRoute();
  next();
};

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
