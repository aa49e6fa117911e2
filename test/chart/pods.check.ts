import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_OWNERS } from "@shipping/proto/parts";
import { parse } from "yaml";
import { chart, type KubernetesObject, objectsIn, objectsOf, template, templateWith, workloadsIn } from "./rendered.js";

// Each part with a database and its migration, the MCP server, the operator, and the smoke test. The migrations share a ServiceAccount.
const NUMBER_OF_WORKLOADS = 2 * DATABASE_OWNERS.length + 3;
const NUMBER_OF_ACCOUNTS = DATABASE_OWNERS.length + 4;

const read = (file: string) => readFileSync(join(chart, file), "utf8");

/** The values of `everything.yaml` for all pods and for the objects around them. */
const { parts: ownValues, tls: _tls, nats: _nats, ...everything } = parse(read("ci/everything.yaml"));
const podFields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, everything[name]]));
const forAllPods = podFields(
  ...["nodeSelector", "tolerations", "affinity", "priorityClassName", "hostAliases", "dnsConfig", "dnsPolicy"],
  ...["runtimeClassName", "schedulerName"],
);
const pullSecrets = [...everything.imagePullSecrets, { name: "shared" }];

test("everything.yaml sets every value for pods, for all parts and for one", () => {
  const [, forPods = ""] = /^# ---- Pods ----$([\s\S]*)^# ---- Parts ----$/m.exec(read("values.yaml")) ?? [];
  const names = Object.keys(parse(forPods));
  expect(names).toHaveLength(29);
  for (const given of [everything, ownValues.webhooks])
    expect(Object.keys(given)).toEqual(expect.arrayContaining(names));
});

describe("values for all pods", () => {
  const objects = objectsIn(templateWith("production", { ...everything, automountServiceAccountToken: true }));
  const workloads = workloadsIn(objects);
  const ofKind = (wanted: string) => objects.filter(({ kind }) => kind === wanted);

  test("reach the parts, the migrations, the operator and the smoke test", () => {
    expect(workloads).toHaveLength(NUMBER_OF_WORKLOADS);
    for (const { pod, labels } of workloads) {
      expect(pod).toMatchObject({ ...forAllPods, imagePullSecrets: pullSecrets, automountServiceAccountToken: true });
      expect(pod.initContainers).toEqual(everything.extraInitContainers);
      expect(pod.volumes).toContainEqual(everything.extraVolumes[0]);
      expect(pod.securityContext).toMatchObject({ ...everything.podSecurityContext, runAsNonRoot: true });
      expect(labels).toMatchObject({ ...everything.podLabels, team: "logistics" });
      const own = pod.containers.filter(({ name }: KubernetesObject) => name !== "proxy");
      const isPart = pod.terminationGracePeriodSeconds !== undefined;
      expect(pod.containers.slice(own.length)).toEqual(isPart ? everything.extraContainers : []);
      for (const container of own) {
        expect(container.env).toContainEqual(everything.extraEnv[0]);
        expect(container.envFrom).toEqual(everything.envFrom);
        expect(container.volumeMounts).toContainEqual(everything.extraVolumeMounts[0]);
        expect(container.securityContext).toMatchObject(everything.securityContext);
      }
    }
    const templates = [...ofKind("Deployment"), ...ofKind("Job")].map(({ spec }) => spec.template);
    for (const { metadata } of [...templates, ...ofKind("Pod")]) {
      expect(metadata.annotations).toMatchObject(everything.podAnnotations);
    }
  });

  test("reach the objects around them, and common labels reach every object", () => {
    for (const { metadata } of objects) expect(metadata.labels.team).toBe("logistics");
    for (const { metadata, spec } of ofKind("Deployment")) {
      expect(metadata).toMatchObject({
        labels: everything.deploymentLabels,
        annotations: everything.deploymentAnnotations,
      });
      expect(spec).toMatchObject({
        strategy: everything.strategy,
        revisionHistoryLimit: 2,
        progressDeadlineSeconds: 900,
      });
      const [rack, row] = spec.template.spec.topologySpreadConstraints;
      expect(rack).toMatchObject({ topologyKey: "rack", labelSelector: spec.selector });
      expect(row).toEqual(everything.topologySpreadConstraints[1]);
    }
    const { ipFamilyPolicy, ipFamilies, ...metadata } = everything.service;
    for (const service of ofKind("Service")) {
      expect(service.spec).toMatchObject({ ipFamilyPolicy, ipFamilies });
      const isPublic = service.spec.clusterIP !== "None";
      const { labels, annotations, nodePorts: _, ...fields } = everything.publicService;
      expect(service.metadata).toMatchObject(isPublic ? { labels, annotations } : metadata);
      if (isPublic) expect(service.spec).toMatchObject(fields);
    }
    expect(ofKind("ServiceAccount")).toHaveLength(NUMBER_OF_ACCOUNTS);
    const { create: _, ...account } = everything.serviceAccount;
    for (const { metadata } of ofKind("ServiceAccount")) expect(metadata).toMatchObject(account);
    for (const { metadata } of ofKind("Job")) expect(metadata).toMatchObject(everything.migration);
  });

  test("go under those of a workload, which adds to objects and replaces anything else", () => {
    const own = {
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "own", operator: "Exists" }],
      podLabels: { "azure.workload.identity/use": "false" },
      serviceAccount: { name: "records-account", create: false },
    };
    const values = { ...everything, parts: { records: own }, migration: { ...everything.migration, ...own } };
    const changed = objectsIn(templateWith("production", values));
    const podOf = (component: string) =>
      workloadsIn(changed).find(({ labels }) => labels["app.kubernetes.io/component"] === component);
    for (const component of ["records", "migration"]) {
      expect(podOf(component)?.pod).toMatchObject({
        nodeSelector: { pool: "shipping", disk: "ssd" },
        tolerations: own.tolerations,
        serviceAccountName: "records-account",
      });
      expect(podOf(component)?.labels).toMatchObject(own.podLabels);
    }
    expect(podOf("carrier")?.pod).toMatchObject(forAllPods);
    expect(changed.filter(({ kind }) => kind === "ServiceAccount")).toHaveLength(NUMBER_OF_ACCOUNTS - 2);
  });
});

describe("ServiceAccounts", () => {
  const accountsOf = (...set: string[]) => {
    const objects = objectsOf("production", ...set);
    expect(objects.filter(({ kind }) => kind === "ServiceAccount")).toEqual([]);
    return new Set(workloadsIn(objects).map(({ pod }) => pod.serviceAccountName));
  };

  test("can be one that exists, or the namespace's own", () => {
    expect(accountsOf("serviceAccount.create=false", "serviceAccount.name=own")).toEqual(new Set(["own"]));
    expect(accountsOf("serviceAccount.create=false")).toEqual(new Set(["default"]));
  });

  test("of one name for all are refused if the chart would make them", () => {
    expect(template("production", "serviceAccount.name=own").text).toContain("set serviceAccount.create to false");
  });
});

describe("security contexts", () => {
  test("in OpenShift no pod chooses a user or group, which the namespace's range gives", () => {
    for (const { pod } of workloadsIn(objectsOf("openshift"))) {
      const { containers, securityContext } = pod;
      for (const context of [securityContext, ...containers.map((one: KubernetesObject) => one.securityContext)]) {
        expect(Object.keys(context)).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/runAs(User|Group)|fsGroup/)]),
        );
      }
    }
  });

  test("can be emptied", () => {
    const objects = objectsIn(templateWith("production", { podSecurityContext: null, securityContext: null }));
    for (const { pod } of workloadsIn(objects)) {
      expect(pod.securityContext).toBeUndefined();
      for (const { securityContext } of pod.containers) expect(securityContext).toBeUndefined();
    }
  });
});

test("a label that the chart sets itself is refused: objects would no longer be found", () => {
  for (const values of [{ commonLabels: {} }, { podLabels: {} }, { parts: { records: { podLabels: {} } } }]) {
    const text = JSON.stringify(values).replace("{}", '{"app.kubernetes.io/component":"x"}');
    const { status, text: said } = templateWith("production", JSON.parse(text));
    expect(status).not.toBe(0);
    expect(said).toContain("app.kubernetes.io/component");
  }
});

test("Recreate has no fields of a rolling update, which Kubernetes would refuse beside it", () => {
  for (const { spec } of objectsOf("production", "strategy.type=Recreate").filter(
    ({ kind }) => kind === "Deployment",
  )) {
    expect(spec.strategy).toEqual({ type: "Recreate" });
  }
});

describe("secret settings", () => {
  const containersOf = (name: string) =>
    workloadsIn(objectsOf(name)).flatMap(({ labels, pod }) =>
      pod.containers.map((container: KubernetesObject) => ({
        pod,
        container,
        component: labels["app.kubernetes.io/component"],
        env: Object.fromEntries(
          (container.env ?? []).map(({ name: key, value, valueFrom }: KubernetesObject) => [key, value ?? valueFrom]),
        ),
      })),
    );
  const hasNoDatabase = (component: string | undefined) => component === "operator" || component === "smoke-test";
  const reference = (name: string, key: string) => ({ secretKeyRef: { name, key } });

  test("can be in a Secret each under any key, such as those of CloudNativePG, for the migrations, too", () => {
    for (const { component, container, env } of containersOf("cloudnative-pg")) {
      if (hasNoDatabase(component)) {
        expect(Object.keys(env).filter((key) => key.includes("DATABASE"))).toEqual([]);
        continue;
      }
      expect(env.DATABASE_URL_IN_SECRET).toEqual(reference(`${container.name}-db-app`, "uri"));
      expect(env.DATABASE_URL).toMatch(/^\$\(DATABASE_URL_IN_SECRET\)\?sslmode=verify-full&sslrootcert=/);
      expect(env.MIGRATION_DATABASE_URL).toBeUndefined();
    }
    const webhooks = containersOf("cloudnative-pg").find(({ component }) => component === "webhooks");
    expect(webhooks?.env).toMatchObject({
      SECRETS_KEYS: reference("shipping-encryption-keys", "keys"),
      NATS_USER: reference("nats-webhooks", "username"),
    });
    expect(webhooks?.pod.volumes).toContainEqual({
      name: "nats",
      secret: { secretName: "nats-webhooks", items: [{ key: "password", path: "password" }] },
    });
  });

  test("of a database can be a file, which the migrations read, too", () => {
    const databaseUrlFile = "/vault/secrets/database";
    const databases = objectsIn(
      templateWith("cloudnative-pg", {
        parts: Object.fromEntries(DATABASE_OWNERS.map((part) => [part, { databaseUrlFile }])),
      }),
    );
    for (const { pod } of workloadsIn(databases).filter(
      ({ labels }) => !hasNoDatabase(labels["app.kubernetes.io/component"]),
    )) {
      for (const { env } of pod.containers) {
        const urls = env.filter(({ name }: KubernetesObject) => name.includes("DATABASE_URL"));
        expect(urls).toEqual([{ name: "DATABASE_URL_FILE", value: databaseUrlFile }]);
      }
    }
  });

  test("of the trace collector reach every part", () => {
    for (const { component, env } of containersOf("air-gapped").filter(
      ({ pod }) => pod.terminationGracePeriodSeconds,
    )) {
      expect([component, env.OTEL_EXPORTER_OTLP_HEADERS]).toEqual([component, reference("traces", "headers")]);
    }
  });
});

test("an image without a shell and /usr/bin/env starts: entry point, commands, probes and hooks only need node", () => {
  const dockerfile = readFileSync(join(chart, "../Dockerfile"), "utf8");
  const [, runtime = ""] = dockerfile.split(/^FROM \$\{RUNTIME_IMAGE\} AS runtime$/m);
  const starts = runtime.split("\n").filter((line) => /^\s*(?:ENTRYPOINT|CMD|RUN|SHELL)\b/.test(line));
  expect(starts.map((line) => line.trim().replace(/^CMD \["node",.*/, "node"))).toEqual([
    "node",
    "ENTRYPOINT []",
    "node",
  ]);
  expect(runtime).toMatch(/^ENV .* PATH=\S*:\/nodejs\/bin /m);
  const text = template("production").text;
  const commands = [...text.matchAll(/\bcommand:\s*\[([^,\]]+)/g)].map(([, program]) => program);
  expect(commands.length).toBeGreaterThan(DATABASE_OWNERS.length);
  expect(new Set(commands)).toEqual(new Set(["node"]));
});
