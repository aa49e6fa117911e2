import { BUS_USERS, DATABASE_OWNERS, PART_NAMES, PARTS, PUBLIC_PARTS } from "@shipping/proto/parts";
import { type KubernetesObject, objectsOf } from "./rendered.js";

function egressOf(component: string, name: string, ...set: string[]): KubernetesObject[] {
  const policy = objectsOf(name, ...set).find(
    ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === `shipping-${component}`,
  );
  return policy.spec.egress;
}

/** The rules that open a port. */
const toPort = (rules: KubernetesObject[], port: number) =>
  rules.filter(({ ports }) => ports.some((one: { port: number }) => one.port === port));

describe("questions to DNS", () => {
  const inNamespace = (name: string) => ({
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
  });

  test("may go to the DNS of Kubernetes and of OpenShift, and to that on the node itself, and nowhere else", () => {
    const [{ to }] = egressOf("default", "production");
    expect(to).toEqual([
      inNamespace("kube-system"),
      inNamespace("openshift-dns"),
      { ipBlock: { cidr: "169.254.20.10/32" } },
    ]);
  });

  test("or to those that the operator names", () => {
    const [{ to }] = egressOf("default", "production", "networkPolicy.dnsPeers[0].ipBlock.cidr=10.96.0.10/32");
    expect(to).toEqual([{ ipBlock: { cidr: "10.96.0.10/32" } }]);
  });
});

test.each([
  ["http://collector.monitoring:4318", 4318],
  ["https://collector.example.com:8443/otlp", 8443],
  ["https://collector.example.com", 443],
  ["http://collector.monitoring/otlp", 80],
  ["http://[fd00::4318]", 80],
  ["https://[fd00::1]:4318", 4318],
])("traces to %s leave through port %d", (endpoint, port) => {
  const opened = (...set: string[]) => egressOf("tracking", "production", ...set).flatMap(({ ports }) => ports);
  const before = opened().map((one: { port: number }) => one.port);
  const after = opened(`telemetry.otlpEndpoint=${endpoint}`).map((one: { port: number }) => one.port);
  expect(after).toEqual([...before, port]);
});

const component = (name: string) => ({
  podSelector: {
    matchLabels: {
      "app.kubernetes.io/name": "shipping",
      "app.kubernetes.io/instance": "shipping",
      "app.kubernetes.io/component": name,
    },
  },
});

function ingressOf(part: string, port: number, name: string, ...set: string[]): KubernetesObject[] {
  const policy = objectsOf(name, ...set).find(
    ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === `shipping-${part}`,
  );
  return toPort(policy.spec.ingress, port);
}

describe("the calls between the parts", () => {
  test.each(DATABASE_OWNERS)(
    "%s answers at its port for calls the parts that declare so, and they may reach it",
    (part) => {
      const named = PART_NAMES.filter((caller) => PARTS[caller].calls.includes(part)).sort();
      const port = PARTS[part].ports.rpc!;
      expect(ingressOf(part, port, "production")).toEqual([
        { from: ["operator", "smoke-test", ...named].map(component), ports: [{ port }] },
      ]);
      for (const caller of ["operator", "smoke-test", ...named]) {
        expect(egressOf(caller, "production")).toContainEqual({ to: [component(part)], ports: [{ port }] });
      }
    },
  );

  test("only the MCP server reaches the gateway's internal port, and beside that only the documentation", () => {
    const port = 8091;
    expect(ingressOf("gateway", port, "production")).toEqual([{ from: [component("mcp")], ports: [{ port }] }]);
    expect(egressOf("mcp", "production")).toEqual([
      { to: [component("gateway")], ports: [{ port }] },
      { to: [component("portal")], ports: [{ port: 8080 }] },
    ]);
    expect(ingressOf("mcp", 8090, "production")).toEqual([]);
    const called = ["operator", "smoke-test"].flatMap((caller) => toPort(egressOf(caller, "production"), 8090));
    expect(called.flatMap(({ to }) => to)).not.toContainEqual(component("mcp"));
    const set = "parts.mcp.enabled=false";
    expect(ingressOf("gateway", port, "production", set)).toEqual([]);
    expect(objectsOf("production", set).filter(({ metadata }) => metadata.name.includes("mcp"))).toEqual([]);
  });

  test("only operators call the gateway where there is no portal", () => {
    const from = ["operator", "smoke-test"].map(component);
    expect(ingressOf("gateway", 8090, "api-only")).toEqual([{ from, ports: [{ port: 8090 }] }]);
    expect(toPort(egressOf("gateway", "api-only"), 8090)).toEqual([]);
  });

  test("nothing reaches the operator's pod, and it reaches no database", () => {
    const policy = objectsOf("production").find(
      ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "shipping-operator",
    );
    expect(policy.spec.ingress).toBeUndefined();
    expect(toPort(egressOf("operator", "production"), 5432)).toEqual([]);
  });
});

describe.each(PUBLIC_PARTS)("public HTTP of the %s", (part) => {
  test("is reached from everywhere", () => {
    expect(ingressOf(part, 8080, "production")).toEqual([{ ports: [{ port: 8080 }] }]);
  });

  test("or only from the proxies that the operator names, since it believes their X-Forwarded-For, and from the smoke test", () => {
    const peer = { ipBlock: { cidr: "10.0.0.0/18" } };
    const set = `networkPolicy.ingressPeers[0].ipBlock.cidr=${peer.ipBlock.cidr}`;
    // The operator's doctor asks the API, and the MCP server reads the documentation.
    const others: Partial<Record<string, string[]>> = { gateway: ["operator"], portal: ["mcp"] };
    const own = ["smoke-test", ...(others[part] ?? [])];
    expect(ingressOf(part, 8080, "production", set)).toEqual([
      { ports: [{ port: 8080 }], from: [peer, ...own.map(component)] },
    ]);
  });
});

describe("in a trial", () => {
  const trial = (server: string, port: number) => ingressOf(server, port, "trial", "parts.mcp.enabled=true");

  test("the parts with a database and their migrations reach PostgreSQL, and nothing else does", () => {
    expect(trial("postgres", 5432)).toEqual([
      { from: [...[...DATABASE_OWNERS].sort(), "migration"].map(component), ports: [{ port: 5432 }] },
    ]);
  });

  test("the parts that use the event bus and the doctor of operators reach NATS, and nothing else does", () => {
    const from = [...[...BUS_USERS].sort(), "operator"].map(component);
    expect(trial("nats", 4222)).toEqual([{ from, ports: [{ port: 4222 }] }]);
  });
});

test.each(PUBLIC_PARTS)("the smoke test reaches the %s", (part) => {
  const ports = [{ port: PARTS[part].ports.http }];
  expect(egressOf("smoke-test", "production")).toContainEqual({ to: [component(part)], ports });
});

describe("the OpenID provider", () => {
  test("is reached by the portal at port 443 of any IP address", () => {
    expect(toPort(egressOf("portal", "production"), 443)).toEqual([{ ports: [{ port: 443 }] }]);
    expect(toPort(egressOf("portal", "guarded"), 443)).toEqual([]);
  });

  test("or where the operator says", () => {
    const peer = { ipBlock: { cidr: "10.30.0.1/32" } };
    const set = ["parts.portal.oidc.ports[0]=8443", `parts.portal.oidc.peers[0].ipBlock.cidr=${peer.ipBlock.cidr}`];
    const rules = egressOf("portal", "production", ...set);
    expect(toPort(rules, 443)).toEqual([]);
    expect(toPort(rules, 8443)).toEqual([{ ports: [{ port: 8443 }], to: [peer] }]);
  });
});

test("the mail server is reached by the portal, and only if it sends email", () => {
  const ports = [{ port: 465 }, { port: 587 }];
  expect(toPort(egressOf("portal", "production"), 465)).toEqual([{ ports }]);
  expect(toPort(egressOf("portal", "guarded"), 465)).toEqual([]);
});

test("the gateway reaches its database and the services, and nothing else", () => {
  const others = ["records", "carrier", "tracking", "webhooks"].map((part) => ({
    to: [component(part)],
    ports: [{ port: 8080 }],
  }));
  const database = { to: [{ ipBlock: { cidr: "10.20.0.1/32" } }], ports: [{ port: 5432 }] };
  expect(egressOf("gateway", "production")).toEqual([...others, database]);
});

describe("IP addresses that deliveries must not reach", () => {
  const blocks = (...ranges: string[]) => {
    const set = ranges.map((range, index) => `egressDenyRanges[${index}]=${range}`);
    const rule = egressOf("webhooks", "production", ...set).find(({ to = [] }) =>
      to.some(({ ipBlock }: KubernetesObject) => ipBlock?.cidr === "2000::/3"),
    );
    return rule.to.map(({ ipBlock }: KubernetesObject) => ipBlock);
  };
  const PRIVATE = 7;

  // The bytes of an IPv4 address follow the prefix, except that the ninth of the whole is skipped (RFC 6052, 2.2).
  test.each([
    ["64:ff9b::/96", "64:ff9b::a00:0/104", "64:ff9b::6440:0/106", "64:ff9b::c0a8:0/112"],
    ["fd00:64::/96", "fd00:64::a00:0/104", "fd00:64::6440:0/106", "fd00:64::c0a8:0/112"],
    ["FD00:64:0:1::/64", "fd00:64:0:1:a::/80", "fd00:64:0:1:64:4000::/82", "fd00:64:0:1:c0:a800::/88"],
    ["fd00:64:1:100::/56", "fd00:64:1:10a::/64", "fd00:64:1:164:40::/74", "fd00:64:1:1c0:a8::/80"],
    ["fd00:64:1::/48", "fd00:64:1:a00::/56", "fd00:64:1:6440::/58", "fd00:64:1:c0a8::/64"],
    ["fd00:64:100::/40", "fd00:64:10a::/48", "fd00:64:164:4000::/50", "fd00:64:1c0:a800::/56"],
    ["fd00:64::/32", "fd00:64:a00::/40", "fd00:64:6440::/42", "fd00:64:c0a8::/48"],
    ["2001:db8:64::/96", "2001:db8:64::a00:0/104", "2001:db8:64::6440:0/106", "2001:db8:64::c0a8:0/112"],
  ])("include private addresses behind the NAT64 %s", (prefix, ...ranges) => {
    const allowed = egressOf("webhooks", "production", `nat64Prefixes[0]=${prefix}`)
      .flatMap(({ to = [] }) => to)
      .flatMap(({ ipBlock }: KubernetesObject) => ipBlock ?? []);
    // Policies add up: an address that one block excludes must not be allowed by another.
    const containing = allowed.filter(({ cidr }: KubernetesObject) =>
      [prefix, prefix.startsWith("2") && "2000::/3"].includes(cidr),
    );
    expect(containing).toHaveLength(1);
    expect(containing[0].except).toEqual(expect.arrayContaining(ranges));
    expect(containing[0].except).toHaveLength(PRIVATE);
  });

  test("leave the well-known prefix of NAT64 open for public IP addresses, whichever is set", () => {
    const blocks = (...set: string[]) => JSON.stringify(egressOf("webhooks", "production", ...set));
    for (const set of [[], ["nat64Prefixes[0]=fd00:64::/96"]]) expect(blocks(...set)).toContain('"64:ff9b::/96"');
  });

  test("are everything but the proxy, if there is one", () => {
    const peer = { ipBlock: { cidr: "10.40.0.1/32" } };
    const set = [`parts.webhooks.egressProxy.peers[0].ipBlock.cidr=${peer.ipBlock.cidr}`];
    for (const named of [
      "settings.EGRESS_PROXY_URL=http://proxy.example:3128",
      "secrets.EGRESS_PROXY_URL.name=proxy",
    ]) {
      const rules = egressOf("webhooks", "production", ...set, `parts.webhooks.${named}`);
      expect(toPort(rules, 443)).toEqual([]);
      expect(toPort(rules, 3128)).toEqual([{ ports: [{ port: 3128 }], to: [peer] }]);
    }
  });

  test("are taken from what is public, each from its own family", () => {
    const [four, six] = blocks("203.0.113.0/24", "2001:db8::/32", "3fff::/20");
    expect(four.except.slice(PRIVATE)).toEqual(["203.0.113.0/24"]);
    expect(six).toEqual({ cidr: "2000::/3", except: ["2001:db8::/32", "3fff::/20"] });
  });

  test.each(["fd00::/8", "::/0", "2000::/3", "2::/16", "::ffff:0:0/96", "64:ff9b::/96", "0.0.0.0/0"])(
    "%s, which is not inside what is public, is left to the dispatcher: Kubernetes would refuse the policy",
    (range) => {
      const [four, six] = blocks(range);
      expect(four.except).toHaveLength(PRIVATE);
      expect(six).toEqual({ cidr: "2000::/3" });
    },
  );
});
