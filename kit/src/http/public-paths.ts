import { PARTS, PUBLIC_PARTS, type PublicPart } from "@shipping/proto/parts";

/** A rule of the public address: which part answers a path. */
export interface PublicPath {
  path: string;
  /** `prefix` means the path itself and what begins with it and a slash, as in a Kubernetes Ingress. */
  match: "exact" | "prefix";
  part: PublicPart;
}

const rules = PUBLIC_PARTS.flatMap((part): PublicPath[] => [
  ...PARTS[part].paths.exact.map((path): PublicPath => ({ path, match: "exact", part })),
  ...PARTS[part].paths.prefix.map((path): PublicPath => ({ path, match: "prefix", part })),
]);
const takesTheRest = ({ path, match }: PublicPath) => match === "prefix" && path === "/";

/**
 * Which part answers each public path. The first rule that matches a path decides. The gateway answers for a part that does not run. The listener of `npm start`, the chart's Ingress and HTTPRoute, and
 * `docs/operations/routes.md` have the same rules.
 */
export const PUBLIC_PATHS: readonly PublicPath[] = [
  ...rules.filter((rule) => !takesTheRest(rule)),
  ...rules.filter(takesTheRest),
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
