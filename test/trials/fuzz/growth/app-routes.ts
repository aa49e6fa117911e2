import { createApiApp } from "@shipping/gateway/app";
import { serveMessages } from "@shipping/mcp/serve-messages";
import { createPortalApp } from "@shipping/portal/app";
import express from "express";

/** A route of the public address, as registered in Express. */
export interface AppRoute {
  method: string;
  /** A pattern of Express, with `:name` for a parameter, and `*name` for the rest of the path. */
  path: string;
}

interface Layer {
  route?: { path: string | RegExp | (string | RegExp)[]; methods: Record<string, boolean> };
  handle: { stack?: Layer[] };
}

/** Every route of the gateway, of the portal, with the developer area, and of the MCP server. They are read from Express itself, so the list is complete. */
export function appRoutes(): AppRoute[] {
  // Dependencies are not called before the first request, except for those that yield a URL.
  const stub: unknown = new Proxy(() => {}, { get: () => stub, apply: () => stub });
  const given: Record<string | symbol, unknown> = {
    developerArea: {},
    requestsPerMinute: 1,
    ownOrigin: () => "http://127.0.0.1",
    trustedProxies: { count: 0, header: "x-forwarded-for" },
    pageLimits: undefined,
  };
  const deps = new Proxy(given, { get: (known, name) => (name in known ? known[name] : stub) });
  const agents = express();
  serveMessages(agents, deps as never);
  const applications = [createApiApp(deps as never), createPortalApp(deps as never), { app: agents }];
  return applications.flatMap(({ app }) => routesIn((app.router as unknown as { stack: Layer[] }).stack));
}

function routesIn(stack: readonly Layer[]): AppRoute[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return routesIn(handle.stack ?? []);
    const paths = [route.path].flat().map(String);
    return Object.keys(route.methods).flatMap((method) =>
      paths.map((path) => ({ method: method.toUpperCase(), path })),
    );
  });
}
