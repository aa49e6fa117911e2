/** The parts of the platform that share its public address. */
export type PublicPart = "portal" | "gateway" | "mcp";

/** A rule of the public address: which part answers a path. */
export interface PublicPath {
  path: string;
  /** `prefix` means the path itself and what begins with it and a slash, as in a Kubernetes Ingress. */
  match: "exact" | "prefix";
  part: PublicPart;
}

const SITE = ["/", "/llms.txt", "/llms-full.txt", "/style.css", "/code.js", "/favicon.ico", "/favicon.svg"];

/**
 * Which part answers each public path. The first rule that matches a path decides. The gateway answers for a part that does not run. The listener of `npm start`, the chart's Ingress and HTTPRoute, and
 * `docs/operations/routes.md` have the same rules.
 */
export const PUBLIC_PATHS: readonly PublicPath[] = [
  ...SITE.map((path): PublicPath => ({ path, match: "exact", part: "portal" })),
  ...["/docs", "/developers"].map((path): PublicPath => ({ path, match: "prefix", part: "portal" })),
  { path: "/mcp", match: "exact", part: "mcp" },
  { path: "/mcp/", match: "exact", part: "mcp" },
  { path: "/register", match: "exact", part: "mcp" },
  { path: "/", match: "prefix", part: "gateway" },
];

const exact = new Map(PUBLIC_PATHS.filter(({ match }) => match === "exact").map(({ path, part }) => [path, part]));
const prefixes = PUBLIC_PATHS.filter(({ match }) => match === "prefix").map(({ path, part }) => ({
  start: path === "/" ? path : `${path}/`,
  part,
}));

/** Chooses the part that answers a path, as `toPath` returns it. It is compared as it is written, because applications route by the same text. */
export function choosePart(pathAndQuery: string): PublicPart {
  const [path = ""] = pathAndQuery.split("?", 1);
  return exact.get(path) ?? prefixes.find(({ start }) => `${path}/`.startsWith(start))?.part ?? "gateway";
}

/**
 * The path and query of a request target, which may be in absolute form (RFC 9112, 3.2.2). Any other target becomes `//`, which matches no
 * route: Express 5 parses such targets with `url.parse`, which corrects some of them, and answers the others with HTML.
 */
export function toPath(target = "/"): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return /^\/[^#\s]*$/.test(path) ? path : "//";
}
