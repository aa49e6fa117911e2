import { type KubernetesObject, objectsOf, template } from "./rendered.js";

/** The variables about NATS in the environment of a part. */
function told(objects: readonly KubernetesObject[], part: string, variable: string): string {
  const pod = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === `shipping-${part}`);
  const { env } = pod.spec.template.spec.containers[0];
  return env.find(({ name }: KubernetesObject) => name === variable).value;
}

const hostsIn = (urls: string) => urls.split(",").map((url) => new URL(url).hostname);
const named = (objects: readonly KubernetesObject[], wanted: string, name = "shipping-nats") =>
  objects.find(({ kind, metadata }) => kind === wanted && metadata.name === name);

test("in production each event is kept on three servers, all of which the parts know", () => {
  const production = objectsOf("production");
  expect(told(production, "webhooks", "NATS_REPLICAS")).toBe("3");
  for (const part of ["records", "carrier", "webhooks"]) {
    expect(new Set(hostsIn(told(production, part, "NATS_URL"))).size).toBe(3);
  }
});

test("limits of the stream are whole numbers, however large", () => {
  const objects = objectsOf("production", "nats.limits.streamMaxBytes=10737418240");
  expect(told(objects, "webhooks", "NATS_STREAM_MAX_BYTES")).toBe("10737418240");
});

test("the stream is marked with namespace and release unless a name is given, and an imported API is found under its subject", () => {
  expect(told(objectsOf("production"), "webhooks", "INSTALLATION_NAME")).toBe("trial/shipping");
  const set = ["installationName=blue", "nats.jetstreamApiPrefix=JS.shipping.API"];
  const objects = objectsOf("production", ...set);
  expect(told(objects, "webhooks", "INSTALLATION_NAME")).toBe("blue");
  expect(told(objects, "webhooks", "NATS_JETSTREAM_API_PREFIX")).toBe("JS.shipping.API");
});

test("a prefix is the same for all parts, and for the permissions of a trial's users", () => {
  const objects = objectsOf("replicated", "nats.prefix=blue");
  for (const part of ["records", "carrier", "webhooks"]) expect(told(objects, part, "BUS_PREFIX")).toBe("blue");
  const configuration = named(objects, "ConfigMap").data["nats.conf"];
  expect(configuration).toContain('publish: ["blue.events.*.label.*"]');
  expect(configuration).toContain('"$JS.API.CONSUMER.CREATE.blue_EVENTS.webhooks"');
  expect(configuration).not.toMatch(/"events\.|\.EVENTS/);
});

describe("a trial with a NATS cluster", () => {
  const objects = objectsOf("replicated");
  const { spec } = named(objects, "StatefulSet");
  const [container] = spec.template.spec.containers;
  const servers = [0, 1, 2].map((index) => `shipping-nats-${index}.shipping-nats`);

  test("keeps each event on three servers with disks of their own, which know each other and the parts know", () => {
    expect(spec.replicas).toBe(3);
    expect(spec.volumeClaimTemplates).toHaveLength(1);
    expect(told(objects, "webhooks", "NATS_REPLICAS")).toBe("3");
    expect(hostsIn(told(objects, "records", "NATS_URL"))).toEqual(servers);
    const [routes] = container.args.filter((arg: string) => arg.startsWith("--routes="));
    expect(hostsIn(routes.replace("--routes=", ""))).toEqual(servers);
    expect(container.args).toContain("--name=$(POD_NAME)");
    expect(named(objects, "Service").spec.publishNotReadyAddresses).toBe(true);
  });

  test("spreads them over nodes and zones, and loses one at a time to a drain or a rollout", () => {
    const keys = spec.template.spec.topologySpreadConstraints.map(({ topologyKey }: KubernetesObject) => topologyKey);
    expect(keys).toEqual(["kubernetes.io/hostname", "topology.kubernetes.io/zone"]);
    for (const { labelSelector } of spec.template.spec.topologySpreadConstraints) {
      expect(labelSelector).toEqual(spec.selector);
    }
    expect(named(objects, "PodDisruptionBudget").spec).toEqual({ maxUnavailable: 1, selector: spec.selector });
    expect(container.startupProbe.httpGet.path).toBe("/healthz");
    expect(container.readinessProbe.httpGet.path).toBe("/healthz?js-server-only=true");
  });

  test("lets the servers alone reach each other", () => {
    const { ingress, egress, podSelector } = named(objects, "NetworkPolicy").spec;
    const among = { ports: [{ port: 6222 }] };
    expect(ingress.at(-1)).toEqual({ from: [{ podSelector }], ...among });
    expect(egress).toEqual([{ to: [{ podSelector }], ...among }]);
  });
});

test("a trial can go from one server to three: what Kubernetes does not let change stays", () => {
  const fixed = (name: string) => {
    const { serviceName, selector, podManagementPolicy, volumeClaimTemplates } = named(
      objectsOf(name),
      "StatefulSet",
    ).spec;
    return { serviceName, selector, podManagementPolicy, volumeClaimTemplates };
  };
  expect(fixed("trial")).toEqual(fixed("replicated"));
});

test("a single server has no routes, and two are refused, because either could stop both", () => {
  const objects = objectsOf("trial");
  expect(named(objects, "NetworkPolicy").spec.egress).toBeUndefined();
  expect(named(objects, "PodDisruptionBudget")).toBeUndefined();
  expect(told(objects, "webhooks", "NATS_REPLICAS")).toBe("1");
  const { status, text } = template("trial", "dev.nats.replicas=2");
  expect(status).not.toBe(0);
  expect(text).toContain("/dev/nats/replicas");
});
