import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_OWNERS, OPTIONAL_PARTS, PART_NAMES, type PartName } from "@shipping/proto/parts";
import { parse } from "yaml";
import { cases, chart, type KubernetesObject, objectsOf, workloadsIn } from "./rendered.js";

describe.each(cases)("with the values of %s.yaml", (name) => {
  const objects = objectsOf(name);
  const workloads = workloadsIn(objects);
  // Containers that an operator adds are the operator's.
  const added = (container: KubernetesObject) => /^(own-)?proxy$/.test(container.name);
  const containers = workloads.flatMap(({ name: workload, pod }) =>
    pod.containers
      .filter((container: KubernetesObject) => !added(container))
      .map((container: KubernetesObject) => ({ ...container, workload, pod })),
  );

  test("there are the parts that the values turn on, and the migrations of their databases", () => {
    const { parts = {} } = parse(readFileSync(join(chart, "ci", `${name}.yaml`), "utf8")) ?? {};
    const { parts: byDefault } = parse(readFileSync(join(chart, "values.yaml"), "utf8"));
    const isOptional = (part: PartName) => OPTIONAL_PARTS.some((one) => one === part);
    const running = PART_NAMES.filter((part) => !isOptional(part) || (parts[part]?.enabled ?? byDefault[part].enabled));
    const names = workloads.map((workload) => workload.name.replace(/^shipping-(eu-)?/, ""));
    expect(names.filter((one) => PART_NAMES.some((part) => part === one)).sort()).toEqual([...running].sort());
    const migrated = names.flatMap((one) => /^migrate-([a-z]+)-/.exec(one)?.[1] ?? []);
    expect(migrated.sort()).toEqual(DATABASE_OWNERS.filter((part) => running.includes(part)).sort());
    expect(names).toEqual(expect.arrayContaining(["smoke-test", "operator"]));
  });

  test("no pod runs as root, writes to its image, gains rights or has a token of the cluster", () => {
    for (const { pod } of workloads) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(pod.securityContext.runAsUser).not.toBe(0);
      expect(pod.automountServiceAccountToken).toBe(false);
    }
    for (const { securityContext } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  test("every image has a tag or a digest, and none is latest", () => {
    for (const { image } of containers) expect(image).toMatch(/(:(?!latest$)[\w][\w.-]*|@sha256:[0-9a-f]{64})$/);
  });

  test("every container has requests and limits", () => {
    const amounts = { cpu: expect.anything(), memory: expect.any(String), "ephemeral-storage": expect.any(String) };
    for (const { resources } of containers) expect(resources).toEqual({ requests: amounts, limits: amounts });
  });

  test("every workload has a network policy of its own, over one that denies everything", () => {
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    const component = (labels: Record<string, string> | undefined) => labels?.["app.kubernetes.io/component"];
    const selected = policies.map(({ spec }) => component(spec.podSelector.matchLabels)).filter(Boolean);
    expect(selected.sort()).toEqual([...new Set(workloads.map(({ labels }) => component(labels)))].sort());
    for (const { spec } of policies) expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
    const everyone = policies.find(({ spec }) => !component(spec.podSelector.matchLabels));
    // A platform may need more, for sidecars and the like.
    const [dns, ...others] = everyone.spec.egress;
    expect(dns.ports.map(({ port }: KubernetesObject) => port)).toEqual([53, 53, 5353, 5353]);
    const extended = ["gke-autopilot", "istio"].includes(name);
    expect([everyone.spec.ingress ?? [], others].flat().length > 0).toBe(extended);
  });

  test("every part is announced to leave before it is told to, and has time to end", () => {
    for (const { kind, pod } of workloads.filter(
      ({ kind: of, pod, labels }) =>
        of === "Deployment" && pod.serviceAccountName && labels["app.kubernetes.io/component"] !== "operator",
    )) {
      expect(kind).toBe("Deployment");
      expect(pod.terminationGracePeriodSeconds).toBe(40);
      expect(pod.containers[0].lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
      expect(pod.containers[0].readinessProbe.httpGet.path).toBe("/readyz");
      expect(pod.containers[0].livenessProbe.httpGet.path).toBe("/livez");
    }
  });

  test("the environment of a part contains no secret", () => {
    for (const { env = [] } of containers) {
      for (const { name: key, value } of env) {
        if (/DATABASE_URL|SECRETS_KEYS|PASSWORD(?!_FILE)/.test(key)) expect(value ?? "$(IN_SECRET)").toMatch(/^"?\$\(/);
      }
    }
  });
});

test("the images have a numeric user and group, which a pod that may not run as root needs", () => {
  const dockerfile = readFileSync(join(chart, "../Dockerfile"), "utf8");
  const users = [...dockerfile.matchAll(/^USER (.*)$/gm)].map(([, user]) => user);
  expect(new Set(users)).toEqual(new Set(["10001:10001"]));
});

test("an upgrade takes no pod away before its successor is ready", () => {
  const deployments = objectsOf("production").filter(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name !== "shipping-operator",
  );
  expect(deployments).toHaveLength(PART_NAMES.length);
  for (const { spec } of deployments) {
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    // An upgrade must not undo the autoscaler's number of replicas.
    expect(spec.replicas).toBeUndefined();
  }
});

test("every pod stays in its Service for a minute without its database, so that the platform itself says when to retry", () => {
  const deployments = workloadsIn(objectsOf("production")).filter(
    ({ kind, name }) => kind === "Deployment" && name !== "shipping-operator",
  );
  expect(deployments).toHaveLength(PART_NAMES.length);
  for (const { pod } of deployments) {
    const { periodSeconds, failureThreshold } = pod.containers[0].readinessProbe;
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(60);
    // A pod that becomes ready, or ready again, is used at once.
    expect(periodSeconds).toBeLessThanOrEqual(3);
  }
});

test("a rollout may take as long as helm waits for it by the guide, since pods are ready once their migrations are applied", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/operations/upgrade.md"), "utf8");
  const [, minutes] = /helm upgrade shipping .* --wait --timeout (\d+)m$/m.exec(guide) ?? [];
  for (const { spec } of objectsOf("production").filter(({ kind }) => kind === "Deployment")) {
    expect(spec.progressDeadlineSeconds).toBe(Number(minutes) * 60);
  }
});

test("only the ports for public HTTP are open to everyone", () => {
  const open = objectsOf("production")
    .filter(({ kind }) => kind === "NetworkPolicy")
    .flatMap(({ metadata, spec }) =>
      (spec.ingress ?? []).map((rule: KubernetesObject) => ({ ...rule, of: metadata.name })),
    )
    .filter(({ from }) => from === undefined);
  const ports = [{ port: 8080 }];
  expect(open).toEqual([
    { of: "shipping-gateway", ports },
    { of: "shipping-mcp", ports },
    { of: "shipping-portal", ports },
  ]);
});

test("the alerts are those of the operations guide, each with what to do", () => {
  const rules = objectsOf("production").find(({ kind }) => kind === "PrometheusRule").spec.groups[0].rules;
  const inGuide = (expr: string) => expr.replaceAll('namespace="trial"', 'namespace="NAMESPACE"');
  const guide = readFileSync(join(import.meta.dirname, "../../docs/operations/alerts.md"), "utf8");
  const rows = [...guide.matchAll(/^\| \[`(Shipping\w+)`\]\(#\w+\)\s+\| `(.+?)`\s+\| (\w+)\s+\|$/gm)].map(
    // A pipe is escaped in a table.
    ([, ...row]) => row.map((cell) => cell.replaceAll("\\|", "|")),
  );
  expect(rules.map((rule: KubernetesObject) => [rule.alert, inGuide(rule.expr), rule.for])).toEqual(rows);
  for (const { alert, annotations } of rules) {
    expect(guide).toMatch(new RegExp(`\n### ${alert}\n\n\\w`));
    expect(annotations.runbook).toBe(`docs/operations/alerts.md#${alert.toLowerCase()}`);
  }
});

test("alerts link to the guide where it is said where people read it", () => {
  const docsUrl = "https://git.example.com/shipping/blob/v1/docs";
  for (const given of [docsUrl, `${docsUrl}/`]) {
    const objects = objectsOf("production", `monitoring.prometheusRule.docsUrl=${given}`);
    const rules = objects.find(({ kind }) => kind === "PrometheusRule").spec.groups[0].rules;
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`${docsUrl}/operations/alerts.md#${alert.toLowerCase()}`);
      expect(annotations.runbook).toBeUndefined();
    }
  }
});

test("the Ingress has the hosts of the API and of the developer area, with the same paths and under one certificate", () => {
  const { rules, tls } = objectsOf("production").find(({ kind }) => kind === "Ingress").spec;
  const hosts = ["api.example.com", "developers.example.com"];
  expect(rules.map(({ host }: KubernetesObject) => host)).toEqual(hosts);
  expect(rules[1].http).toEqual(rules[0].http);
  expect(tls).toEqual([{ hosts, secretName: "api-example-com" }]);
  const alone = objectsOf("production", "ingress.developersHost=").find(({ kind }) => kind === "Ingress").spec;
  expect(alone.rules.map(({ host }: KubernetesObject) => host)).toEqual(["api.example.com"]);
});
