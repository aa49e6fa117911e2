import { identityIn } from "@shipping/kit/tls/part-identity";
import { parts } from "@shipping/local/parts";
import { type KubernetesObject, objectsOf, template, workloadsIn } from "./rendered.js";

const named = (objects: KubernetesObject[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);
const environmentOf = (container: KubernetesObject) =>
  Object.fromEntries(container.env.map(({ name, value }: KubernetesObject) => [name, value]));
const partOf = (objects: KubernetesObject[], part: string) =>
  named(objects, "Deployment", `shipping-${part}`).spec.template.spec;
const jobIn = (objects: KubernetesObject[]) =>
  objects.find(({ kind, metadata }) => kind === "Job" && metadata.name.startsWith("shipping-certificates-"));

describe.each(["production", "trial"])("with the values of %s.yaml, which say nothing of certificates", (name) => {
  const objects = objectsOf(name);
  const pod = jobIn(objects).spec.template.spec;
  const certificates = JSON.parse(environmentOf(pod.containers[0]).CERTIFICATES);

  test.each(parts)("%s has a certificate under its own name, and waits for its files", (part) => {
    const { containers, volumes } = partOf(objects, part);
    const { secretName, items } = volumes[0].secret;
    const { hosts, uri } = certificates[secretName];
    expect(identityIn(`URI:${uri}`)).toEqual({ platform: "spiffe://cluster.local/ns/trial/shipping", part });
    expect(hosts).toEqual([
      `shipping-${part}`,
      `shipping-${part}.trial.svc`,
      `shipping-${part}.trial.svc.cluster.local`,
    ]);
    const folder = containers[0].volumeMounts[0].mountPath;
    const mounted = items.map(({ path }: KubernetesObject) => `${folder}/${path}`);
    const env = environmentOf(containers[0]);
    expect([env.TLS_CERT_FILE, env.TLS_KEY_FILE, env.TLS_CA_FILE]).toEqual(mounted);
    const urls = Object.entries(env).filter(([key]) => /^(RECORDS|CARRIER|TRACKING|WEBHOOKS)_URL$/.test(key));
    for (const [, url] of urls) {
      const { protocol, hostname } = new URL(String(url));
      const callee = Object.values<{ hosts: string[] }>(certificates).find((one) => one.hosts.includes(hostname));
      expect([protocol, callee]).toEqual(["https:", expect.anything()]);
    }
  });

  test("the job may read and write exactly the Secrets that the chart brings, which are empty", () => {
    const secrets = ["shipping-authority", ...Object.keys(certificates)];
    expect(named(objects, "Role", "shipping-certificates").rules).toEqual([
      { apiGroups: [""], resources: ["secrets"], resourceNames: secrets, verbs: ["get", "update"] },
    ]);
    for (const secret of secrets) {
      const { data, stringData, type } = named(objects, "Secret", secret);
      expect({ data, stringData, type }).toEqual({});
    }
    const { roleRef, subjects } = named(objects, "RoleBinding", "shipping-certificates");
    expect([roleRef.name, subjects]).toEqual([
      "shipping-certificates",
      [{ kind: "ServiceAccount", name: "shipping-certificates", namespace: "trial" }],
    ]);
  });

  test("its pods alone have a token of the cluster, a short-lived one", () => {
    const holders = workloadsIn(objects).filter(({ pod }) => JSON.stringify(pod).includes("serviceAccountToken"));
    expect(holders.map(({ kind }) => kind).sort()).toEqual(["CronJob", "Job"]);
    const [{ serviceAccountToken }] = pod.volumes[0].projected.sources;
    expect(serviceAccountToken.expirationSeconds).toBe(600);
  });

  test("certificates are renewed every day by the same pod", () => {
    const { schedule, jobTemplate } = named(objects, "CronJob", "shipping-certificates").spec;
    expect(schedule).toMatch(/^\d+ \d+ \* \* \*$/);
    expect(jobTemplate.spec.template.spec).toEqual(pod);
  });
});

test("what is rendered twice is the same, and an upgrade names a new job only where it wants something else", () => {
  expect(template("production").text).toBe(template("production").text);
  const nameOf = (...set: string[]) => jobIn(objectsOf("production", ...set)).metadata.name;
  expect(nameOf("parts.records.replicas=5")).toBe(nameOf());
  expect(nameOf("clusterDomain=cluster.example")).not.toBe(nameOf());
  expect(nameOf("image.tag=1.0.1")).not.toBe(nameOf());
});

test("with an issuer, cert-manager makes the certificates, and there is no job", () => {
  const objects = objectsOf("guarded");
  for (const part of parts) {
    const { spec } = named(objects, "Certificate", `shipping-${part}`);
    expect(spec.secretName).toBe(partOf(objects, part).volumes[0].secret.secretName);
    expect(spec.uris).toEqual([`spiffe://cluster.local/ns/trial/shipping/${part}`]);
    expect(spec.dnsNames).toContain(`shipping-${part}`);
    expect(spec.issuerRef.name).toBe("shipping-ca");
  }
  expect(jobIn(objects)).toBeUndefined();
  expect(named(objects, "Role", "shipping-certificates")).toBeUndefined();
});

describe("times that would leave the parts without certificates", () => {
  const rendered = (name: string, duration: string, renewBefore: string) =>
    template(name, `tls.duration=${duration}`, `tls.renewBefore=${renewBefore}`);

  test.each([
    ["production", "720h", "720h", "tls.renewBefore must be shorter than tls.duration"],
    ["guarded", "24h", "48h", "tls.renewBefore must be shorter than tls.duration"],
    ["production", "72h", "47h", "tls.renewBefore must be at least 48h"],
    ["guarded", "24h", "7h", "tls.renewBefore must be at least 8h"],
  ])(
    "are refused: %s.yaml with certificates for %s, renewed %s before their end",
    (name, duration, renewBefore, sentence) => {
      const { status, text } = rendered(name, duration, renewBefore);
      expect(status).not.toBe(0);
      expect(text).toContain(sentence);
    },
  );

  test.each([
    ["production", "72h", "48h"],
    ["guarded", "24h", "8h"],
    ["meshed", "24h", "24h"],
  ])("and no others: %s.yaml, %s, %s", (name, duration, renewBefore) => {
    expect(rendered(name, duration, renewBefore).status).toBe(0);
  });
});

test("without certificates every part is told so by a switch that says what it means", () => {
  const objects = objectsOf("meshed");
  for (const part of parts) {
    const { containers, volumes } = partOf(objects, part);
    const { TLS_CERT_FILE, RPC_PLAINTEXT_TRUSTS_NETWORK, NODE_ENV } = environmentOf(containers[0]);
    expect([TLS_CERT_FILE, RPC_PLAINTEXT_TRUSTS_NETWORK, NODE_ENV, volumes]).toEqual([
      undefined,
      "true",
      "production",
      undefined,
    ]);
  }
  expect(jobIn(objects)).toBeUndefined();
});
