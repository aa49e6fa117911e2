import { DATABASE_OWNERS } from "@shipping/proto/parts";
import { kubeconform, objectsIn, objectsOf, template, templateWith, workloadsIn } from "./rendered.js";

/** Values that platform engineers expect of a chart: those in `everything.yaml`, and those of two parts. */
const parts = {
  records: {
    secrets: {
      DATABASE_URL: {
        ...{ name: "records-db", userKey: "username", passwordKey: "password" },
        ...{ host: "db.internal", parameters: "sslmode=require" },
      },
    },
    autoscaling: { enabled: true, memoryPercent: 80, behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
  },
  tracking: { autoscaling: { external: true } },
};
const rendered = templateWith("everything", { parts });
const objects = objectsIn(rendered);
const one = (kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const podOf = (component: string, of = objects) =>
  workloadsIn(of).find(({ labels }) => labels["app.kubernetes.io/component"] === component)?.pod;

test("what everything.yaml renders is valid", () => {
  expect(kubeconform({ everything: rendered.text })).toEqual({ status: 0, text: "" });
});

test("probes keep the fields that are not replaced, their path and their port", () => {
  const [container] = podOf("gateway").containers;
  const livez = { httpGet: { path: "/livez", port: "ops" }, timeoutSeconds: 5 };
  expect(container.startupProbe).toEqual({ ...livez, periodSeconds: 2, failureThreshold: 120 });
  expect(container.livenessProbe).toEqual({ ...livez, timeoutSeconds: 10, periodSeconds: 10, failureThreshold: 6 });
  expect(container.readinessProbe).toMatchObject({ httpGet: { path: "/readyz" }, periodSeconds: 5 });
  expect(template("production", "probes.startup.httpGet.path=/").text).toContain("httpGet");
});

describe("the registry of an umbrella chart", () => {
  const imagesOf = (...set: string[]) =>
    workloadsIn(objectsOf("production", ...set)).flatMap(({ pod }) => pod.containers.map(({ image }: never) => image));

  test("stands in front of all names, in place of the host in the prefix", () => {
    const plain = imagesOf("image.prefix=shipping/");
    const mirrored = plain.map((image: string) => `mirror.example.com:5000/cache/${image}`);
    const registry = "global.imageRegistry=mirror.example.com:5000/cache";
    for (const prefix of [
      "shipping/",
      "registry.example.com/shipping/",
      "localhost/shipping/",
      "localhost:5000/shipping/",
    ])
      expect(imagesOf(`image.prefix=${prefix}`, registry)).toEqual(mirrored);
  });

  test("leaves a full reference alone", () => {
    expect(imagesOf("global.imageRegistry=mirror", "parts.records.image=own/records@sha256:1")).toContain(
      "own/records@sha256:1",
    );
  });

  test("has the images of a trial's servers, too", () => {
    const images = new Set(
      workloadsIn(objectsOf("trial", "global.imageRegistry=mirror.example.com")).flatMap(({ pod }) =>
        pod.containers.map(({ image }: { image: string }) => image.replace(/[:@].*/, "")),
      ),
    );
    expect([...images].sort()).toEqual(
      expect.arrayContaining(["mirror.example.com/nats", "mirror.example.com/postgres"]),
    );
    for (const image of images) expect(image).toMatch(/^mirror\.example\.com\//);
  });

  test("may have Secrets, named by text or as objects, each once", () => {
    const global = { imagePullSecrets: ["one", { name: "registry" }] };
    const values = { global, imagePullSecrets: [{ name: "registry" }] };
    for (const { pod } of workloadsIn(objectsIn(templateWith("production", values))))
      expect(pod.imagePullSecrets).toEqual([{ name: "registry" }, { name: "one" }]);
  });
});

describe("public Services", () => {
  test("can have ports of the nodes, each for its part", () => {
    expect(one("Service", "shipping").spec.ports[0].nodePort).toBe(30080);
    expect(one("Service", "shipping-portal-public").spec.ports[0].nodePort).toBeUndefined();
  });

  test.each([
    ["publicService.externalTrafficPolicy=Local", "need publicService.type NodePort or LoadBalancer"],
    ["publicService.nodePorts.gateway=30080", "need publicService.type NodePort or LoadBalancer"],
    ["publicService.loadBalancerClass=own", "need publicService.type LoadBalancer"],
    ["publicService.loadBalancerSourceRanges={10.0.0.0/8}", "need publicService.type LoadBalancer"],
  ])("refuse %s for a Service that cannot have it", (set, says) => {
    const { status, text } = template("production", set);
    expect([status, text]).toEqual([1, expect.stringContaining(says)]);
  });

  test("refuse a port for a part that has none", () => {
    const { text } = template("production", "publicService.type=NodePort", "publicService.nodePorts.records=30080");
    expect(text).toContain("publicService.nodePorts.records: only these parts have a public Service: gateway");
  });
});

test("the HTTPRoute has labels and annotations, and each of its rules time limits and filters", () => {
  const route = one("HTTPRoute", "shipping");
  expect(route.metadata).toMatchObject({ labels: { route: "public" }, annotations: { "example.com/route": "public" } });
  for (const { timeouts, filters } of route.spec.rules) {
    expect(timeouts).toEqual({ request: "60s", backendRequest: "30s" });
    expect(filters).toMatchObject([{ type: "ResponseHeaderModifier" }]);
  }
});

describe("autoscalers", () => {
  test("can follow memory, too, and scale as fast as `behavior` allows", () => {
    const { metrics, behavior } = one("HorizontalPodAutoscaler", "shipping-records").spec;
    expect(metrics.map(({ resource }: never) => (resource as { name: string }).name)).toEqual(["cpu", "memory"]);
    expect(behavior).toEqual({ scaleDown: { stabilizationWindowSeconds: 600 } });
  });

  test("of somebody else set the number of pods alone", () => {
    expect(one("HorizontalPodAutoscaler", "shipping-tracking")).toBeUndefined();
    expect(one("Deployment", "shipping-tracking").spec).not.toHaveProperty("replicas");
    const both = ["parts.records.autoscaling.enabled=true", "parts.records.autoscaling.external=true"];
    expect(template("production", ...both).status).not.toBe(0);
  });
});

describe("a database Secret with user and password alone", () => {
  const key = (name: string) => ({ valueFrom: { secretKeyRef: { name: "records-db", key: name } } });
  const envOf = (env: { name: string }[]) => Object.fromEntries(env.map(({ name, ...value }) => [name, value]));

  test("gives both to the part and to its migration, beside a URL without them", () => {
    const migration = workloadsIn(objects).find(
      ({ pod }) => !pod.terminationGracePeriodSeconds && pod.containers[0].name === "records",
    );
    for (const pod of [podOf("records"), migration?.pod])
      expect(envOf(pod.containers[0].env)).toMatchObject({
        PGUSER: key("username"),
        PGPASSWORD: key("password"),
        DATABASE_URL: { value: "postgresql://db.internal:5432/records?sslmode=require" },
      });
  });

  test("can be one of a name for each part, and another one for migrations", () => {
    const keys = { userKey: "username", passwordKey: "password", host: "{part}.db", database: "app" };
    const secrets = {
      DATABASE_URL: { name: "{part}-db", ...keys },
      MIGRATION_DATABASE_URL: { name: "{part}-owner", ...keys },
    };
    const bare = Object.fromEntries(DATABASE_OWNERS.map((part) => [part, { existingSecret: `shipping-${part}` }]));
    const workloads = workloadsIn(objectsIn(templateWith("production", { secrets, parts: bare })));
    const records = workloads.filter(({ pod }) => pod.containers[0].name === "records");
    expect(records).toHaveLength(2);
    for (const { pod } of records) {
      const names: string[] = pod.containers[0].env.map(({ name }: { name: string }) => name);
      expect(new Set(names).size).toBe(names.length);
      const isPart = pod.terminationGracePeriodSeconds !== undefined;
      const env = envOf(pod.containers[0].env) as Record<string, { valueFrom?: { secretKeyRef: { name: string } } }>;
      expect(env.PGUSER?.valueFrom?.secretKeyRef.name).toBe(isPart ? "records-db" : "records-owner");
      expect(env[isPart ? "DATABASE_URL" : "MIGRATION_DATABASE_URL"]).toEqual({
        value: "postgresql://records.db:5432/app",
      });
    }
  });

  test.each(["userKey=username", "host=db.internal", "passwordKey=password"])("is refused with %s alone", (set) => {
    const { status, text } = template(
      "production",
      "parts.records.secrets.DATABASE_URL.name=db",
      `parts.records.secrets.DATABASE_URL.${set}`,
    );
    expect([status, text]).toEqual([1, expect.stringContaining("DATABASE_URL")]);
  });
});

test("an issuer of another group signs the certificates", () => {
  expect(one("Certificate", "shipping-records").spec.issuerRef).toEqual({
    ...{ kind: "AWSPCAClusterIssuer", name: "shipping-ca", group: "awspca.cert-manager.io" },
  });
});

test("the ServiceMonitor has relabelings and a time limit", () => {
  expect(one("ServiceMonitor", "shipping").spec.endpoints).toEqual([
    {
      ...{ port: "ops", path: "/metrics", interval: "30s", scrapeTimeout: "10s" },
      relabelings: [{ sourceLabels: ["__meta_kubernetes_pod_node_name"], targetLabel: "node" }],
      metricRelabelings: [{ sourceLabels: ["__name__"], regex: "nodejs_.*", action: "drop" }],
    },
  ]);
});

test.each(["1m", "16s"])("a ServiceMonitor with a time limit of %s for every 15 s is refused", (scrapeTimeout) => {
  const serviceMonitor = { enabled: true, interval: "15s", scrapeTimeout };
  expect(templateWith("production", { monitoring: { serviceMonitor } }).text).toContain("must not exceed interval");
});

test("further objects are rendered, as objects and as texts", () => {
  expect(one("ConfigMap", "shipping-own").data).toEqual({ a: "b" });
  expect(one("ConfigMap", "shipping-text")).toBeDefined();
});
