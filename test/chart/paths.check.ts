import { choosePart, PUBLIC_PATHS } from "@shipping/kit/http/public-paths";
import { type KubernetesObject, objectsOf } from "./rendered.js";

const SERVICES = { gateway: "shipping", portal: "shipping-portal-public", mcp: "shipping-mcp-public" };

/** A rule of an Ingress or an HTTPRoute: how it compares which path, and the Service that it leads to. */
interface Rule {
  match: "exact" | "prefix";
  path: string;
  service: string;
}

const find = (name: string, kind: string): KubernetesObject => objectsOf(name).find((one) => one.kind === kind);

function rulesOfIngress(ingress: KubernetesObject): Rule[] {
  return ingress.spec.rules[0].http.paths.map(({ path, pathType, backend }: KubernetesObject) => ({
    match: pathType === "Exact" ? "exact" : "prefix",
    path,
    service: backend.service.name,
  }));
}

/** A rule without matches is for every path. */
function rulesOfRoute(route: KubernetesObject): Rule[] {
  return route.spec.rules.flatMap(({ matches, backendRefs }: KubernetesObject) =>
    (matches ?? [{ path: { type: "PathPrefix", value: "/" } }]).map(({ path }: KubernetesObject) => ({
      match: path.type === "Exact" ? "exact" : "prefix",
      path: path.value,
      service: backendRefs[0].name,
    })),
  );
}

/** The Service for a path in Kubernetes, whatever the order of the rules: of an exact path, or else of the longest prefix. */
function ledTo(path: string, rules: readonly Rule[]): string | undefined {
  const exact = rules.find((rule) => rule.match === "exact" && rule.path === path);
  const prefixes = rules.filter(
    (rule) => rule.match === "prefix" && `${path}/`.startsWith(rule.path.replace(/\/?$/, "/")),
  );
  return (exact ?? prefixes.sort((a, b) => b.path.length - a.path.length)[0])?.service;
}

describe.each([
  ["an Ingress", rulesOfIngress(find("production", "Ingress"))],
  ["an HTTPRoute", rulesOfRoute(find("guarded", "HTTPRoute"))],
])("%s", (_what, rules) => {
  test("has the rules of the public paths, and no others", () => {
    const sorted = (some: Rule[]) => some.map((rule) => JSON.stringify(rule)).sort();
    const expected = PUBLIC_PATHS.map(({ match, path, part }) => ({ match, path, service: SERVICES[part] }));
    expect(sorted(rules)).toEqual(sorted(expected));
  });

  test.each([
    "/",
    "/docs",
    "/docs/",
    "/docs/events",
    "/docsearch",
    "/developers/live",
    "/developersx",
    "/llms.txt",
    "/llms",
  ])("leads %s to the part that the listener of `npm start` chooses", (path) => {
    expect(ledTo(path, rules)).toBe(SERVICES[choosePart(path)]);
  });
});

test("without a portal, the gateway answers everything, and there is no other public Service", () => {
  expect(rulesOfIngress(find("api-only", "Ingress"))).toEqual([{ match: "prefix", path: "/", service: "shipping" }]);
  const services = objectsOf("api-only").filter(({ kind, spec }) => kind === "Service" && spec.clusterIP !== "None");
  expect(services.map(({ metadata }) => metadata.name)).toEqual(["shipping"]);
});
