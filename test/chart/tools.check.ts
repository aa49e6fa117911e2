import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PART_NAMES } from "@shipping/proto/parts";
import { parse } from "yaml";
import { cases, chart, KUBERNETES, kubeconform, run, template } from "./rendered.js";

/** The owners of certificates. */
const IDENTITIES = new Set<string>([...PART_NAMES, "operator"]);

test.each(cases)("helm lint finds nothing with the values of %s.yaml", (name) => {
  const values = ["--values", join(chart, "ci", `${name}.yaml`)];
  const said = run("helm", ["lint", chart, "--strict", "--kube-version", KUBERNETES, ...values]);
  expect(said).toMatchObject({ status: 0 });
});

test("every object of every platform fits its schema", () => {
  const rendered = Object.fromEntries(cases.map((name) => [name, template(name).text]));
  expect(kubeconform(rendered)).toEqual({ status: 0, text: "" });
});

test("promtool understands every query of the dashboard, and each asks for series of the platform in the chosen namespaces", () => {
  const dashboard = JSON.parse(readFileSync(join(chart, "files/dashboard.json"), "utf8"));
  const queries: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  const generic = /^(http|process|nodejs)_/;
  for (const query of queries) {
    const asked = [...query.matchAll(/\b[a-z]+_[a-z0-9_]+(\{.*?\}|\[|\)| )/g)];
    expect(asked.length).toBeGreaterThan(0);
    for (const [series, selector] of asked) {
      expect(series).toContain('{namespace=~"$namespace"');
      if (generic.test(series)) expect(selector).toMatch(/part(="gateway"|!="")/);
    }
  }
  const rules = queries.map((query, index) => ({
    record: `query_${index}`,
    expr: query.replaceAll("$__rate_interval", "5m").replaceAll("$namespace", ".*"),
  }));
  const file = join(mkdtempSync(join(tmpdir(), "queries-")), "rules.json");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  expect(run("promtool", ["check", "rules", file])).toMatchObject({ status: 0 });
});

describe("values", () => {
  test.each([
    ["parts.records.replicaz=3", "replicaz"],
    ["parts.label.replicas=3", "label"],
    ["parts.gateway.settings.RATE_LIMIT=3", "RATE_LIMIT"],
    ["networkpolicy.enabled=true", "networkpolicy"],
    ["image.tag=latest", "/image/tag"],
    ["nats.replicas=two", "/nats/replicas"],
    ["publicUrl=https://ship.example/developers", "publicUrl"],
    ["parts.records.replicas=null", "replicas"],
    ["operator.replicas=null", "replicas"],
    ["parts.records.autoscaling.maxReplicas=null", "maxReplicas"],
    ["parts.records.databasePool=null", "parts.records.databasePool is missing"],
    ["parts.records.databasePeers=null", "parts.records.databasePeers is missing"],
    ["parts.records.autoscaling.minReplicas=9", "autoscaling.minReplicas (9) is greater than its maxReplicas (6)"],
  ])("%s is refused by name", (value, name) => {
    const { status, text } = template("trial", value);
    expect(status).not.toBe(0);
    expect(text).toContain(name);
  });

  test.each([
    ["existingSecret=", "parts.carrier.existingSecret must name the Secret"],
    ["nats.url=", "nats.url must name the event bus"],
    ["ingress.host=", "ingress.host must be the API's host name"],
  ])("without %s the chart says what is missing", (value, sentence) => {
    expect(template("production", value).text).toContain(sentence);
  });

  test.each([
    ["an Ingress", "trial", ["ingress.enabled=true", "ingress.host=api.example.com"]],
    ["an Ingress", "production", ["trustedProxies=0"]],
    ["an HTTPRoute", "guarded", ["trustedProxies=0"]],
  ])("behind %s the platform must be told how many proxies there are (%s, %j)", (_what, name, values) => {
    const { status, text } = template(name, ...values);
    expect(status).not.toBe(0);
    expect(text).toContain("trustedProxies must be at least 1");
  });

  test.each([
    ["settings.DEVELOPER_AREA=true", "parts.portal.enabled"],
    ["settings.MCP=true", "parts.mcp.enabled"],
    ["settings.MCP_ALLOW_LIVE=true", "parts.mcp.settings.MCP_ALLOW_LIVE"],
    ["settings.MCP_TOOLS=read", "parts.mcp.settings.MCP_TOOLS"],
    ["settings.PUBLIC_URL=https://api.example.com", "publicUrl"],
    ["settings.TRUSTED_PROXIES=1", "trustedProxies"],
    ["settings.CLIENT_ADDRESS_HEADER=forwarded", "clientAddressHeader"],
    ["settings.AUDIT_RETENTION_DAYS=30", "auditRetentionDays"],
    ["settings.OIDC_ISSUER=https://id.example.com", "parts.portal.settings.OIDC_ISSUER"],
    ["settings.OIDC_CLIENT_ID=developers", "parts.portal.settings.OIDC_CLIENT_ID"],
    ["settings.MAIL_FROM=a@example.com", "parts.portal.settings.MAIL_FROM"],
    ["settings.SMTP_PLAINTEXT_TRUSTS_NETWORK=true", "parts.portal.settings.SMTP_PLAINTEXT_TRUSTS_NETWORK"],
    ["secrets.OIDC_CLIENT_SECRET.name=oidc", "parts.portal.secrets.OIDC_CLIENT_SECRET"],
    ["secrets.SMTP_URL.name=smtp", "parts.portal.secrets.SMTP_URL"],
    ["smtp.ports[0]=25", "parts.portal.smtp"],
    ["oidc.ports[0]=8443", "parts.portal.oidc"],
    ["caSecret=company-ca", "parts.portal.caSecret"],
  ])("parts.gateway.%s is refused, with the name of its new place", (value, now) => {
    const { status, text } = template("production", `parts.gateway.${value}`);
    expect(status).not.toBe(0);
    expect(text).toContain(`parts.gateway.${value.split(/[=[]|\.name=|\.ports/)[0]} is now ${now}\n`);
  });

  test("have a sentence each, and are known to the schema", () => {
    const { text } = run("helm", ["show", "values", chart]);
    const lines = text.split("\n");
    // A comment on a value of the first part also applies to the same value of the others.
    const explained = new Set<string>();
    const bare = lines.filter((line, index) => {
      const [, value] = /^(\s*[a-zA-Z]+):/.exec(line) ?? [];
      if (!value || /^\s+(requests|limits|- )/.test(line) || explained.has(value)) return false;
      if (!/^\s*#/.test(lines[index - 1] ?? "")) return !(IDENTITIES.has(value.trim()) && value.startsWith("    "));
      if (value.startsWith("    ")) explained.add(value);
      return false;
    });
    expect(bare).toEqual([]);
    expect(Object.keys(parse(text).parts)).toEqual(PART_NAMES);
  });
});
