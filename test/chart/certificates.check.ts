import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { identityIn } from "@shipping/kit/tls/tls";
import { DATABASE_OWNERS } from "@shipping/proto/parts";
import { type KubernetesObject, objectsOf, template, workloadsIn } from "./rendered.js";

const named = (objects: KubernetesObject[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);
const environmentOf = (container: KubernetesObject) =>
  Object.fromEntries(container.env.map(({ name, value }: KubernetesObject) => [name, value]));
const partOf = (objects: KubernetesObject[], part: string) =>
  named(objects, "Deployment", `shipping-${part}`).spec.template.spec;
const secretOf = (objects: KubernetesObject[], part: string): string =>
  partOf(objects, part).volumes.find(({ name }: KubernetesObject) => name === "tls").secret.secretName;

const hostsOf = (part: string) => [
  `shipping-${part}`,
  `shipping-${part}.trial.svc`,
  `shipping-${part}.trial.svc.cluster.local`,
];
const uriOf = (part: string) => `spiffe://cluster.local/ns/trial/shipping/${part}`;

describe.each(["production", "guarded", "trial"])("with the values of %s.yaml", (name) => {
  const objects = objectsOf(name);

  test.each(DATABASE_OWNERS)(
    "%s waits for the files of its certificate, and calls others by names in theirs",
    (part) => {
      const { containers, volumes } = partOf(objects, part);
      const { items } = volumes.find((one: KubernetesObject) => one.name === "tls").secret;
      const { mountPath } = containers[0].volumeMounts.find((one: KubernetesObject) => one.name === "tls");
      const env = environmentOf(containers[0]);
      const mounted = items.map(({ path }: KubernetesObject) => `${mountPath}/${path}`);
      expect([env.TLS_CERT_FILE, env.TLS_KEY_FILE, env.TLS_CA_FILE]).toEqual(mounted);
      expect(env.RPC_PLAINTEXT_TRUSTS_NETWORK).toBeUndefined();
      const urls = Object.entries(env).filter(([key]) =>
        /^(GATEWAY|PORTAL|RECORDS|CARRIER|TRACKING|WEBHOOKS)_URL$/.test(key),
      );
      for (const [key, url] of urls) {
        const { protocol, hostname } = new URL(String(url));
        expect([protocol, hostsOf(key.replace("_URL", "").toLowerCase())]).toEqual([
          "https:",
          expect.arrayContaining([hostname]),
        ]);
      }
    },
  );

  test("no pod has a token of the cluster, or may read or write Secrets", () => {
    const holders = workloadsIn(objects).filter(({ pod }) => JSON.stringify(pod).includes("serviceAccountToken"));
    expect(holders).toEqual([]);
    const kinds = objects.map(({ kind }: KubernetesObject) => kind);
    expect(kinds.filter((kind: string) => /Role|CronJob/.test(kind))).toEqual([]);
  });
});

test("in production, each part has the Secret that the operator names, and every part needs one", () => {
  const objects = objectsOf("production");
  for (const part of DATABASE_OWNERS) {
    expect(secretOf(objects, part)).toBe(`shipping-${part}-certificate`);
    expect(named(objects, "Secret", secretOf(objects, part))).toBeUndefined();
  }
  // Without one name for all, the Secret of each has to be named.
  const { status, text } = template("production", "tls.existingSecret=,tls.existingSecrets.gateway=of-gateway");
  expect(status).not.toBe(0);
  expect(text).toMatch(/tls\.existingSecrets\.(?!gateway)\w+ must name the Secret/);
  expect(template("production", "tls.issuerRef.name=shipping-ca").text).toContain("not both");
  expect(template("production", "tls.existingSecrets.billing=x").text).toContain("billing");
});

test("with an issuer, cert-manager makes the certificates", () => {
  const objects = objectsOf("guarded");
  for (const part of DATABASE_OWNERS) {
    const { spec } = named(objects, "Certificate", `shipping-${part}`);
    expect(spec.secretName).toBe(secretOf(objects, part));
    expect(identityIn(`URI:${spec.uris[0]}`, { production: true })).toEqual({
      platform: "spiffe://cluster.local/ns/trial/shipping",
      part,
    });
    expect([spec.uris, spec.dnsNames]).toEqual([[uriOf(part)], hostsOf(part)]);
    expect(spec.issuerRef.name).toBe("shipping-ca");
  }
});

describe("in a trial, Helm makes the certificates", () => {
  test("one for each part, with its key, its names and its identity, by one authority whose key is nowhere", () => {
    const objects = objectsOf("trial");
    const authorities = DATABASE_OWNERS.map((part) => {
      const { data } = named(objects, "Secret", secretOf(objects, part));
      expect(Object.keys(data).sort()).toEqual(["ca.crt", "tls.crt", "tls.key"]);
      const [cert, key, ca] = ["tls.crt", "tls.key", "ca.crt"].map((file) => Buffer.from(data[file], "base64"));
      const certificate = new X509Certificate(cert as Buffer);
      const authority = new X509Certificate(ca as Buffer);
      expect(certificate.checkPrivateKey(createPrivateKey(key as Buffer))).toBe(true);
      expect([certificate.verify(authority.publicKey), authority.ca, certificate.ca]).toEqual([true, true, false]);
      for (const host of hostsOf(part)) expect(certificate.checkHost(host)).toBe(host);
      expect(identityIn(certificate.subjectAltName, { production: false })?.part).toBe(part);
      expect(certificate.subjectAltName).toContain(uriOf(part));
      // Server and client.
      expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
      return authority.fingerprint256;
    });
    expect(new Set(authorities).size).toBe(1);
  });

  test("with which the parts can connect to each other under the name of a Service", async () => {
    const objects = objectsOf("trial");
    const [records, carrier] = ["records", "carrier"].map((part) => {
      const { data } = named(objects, "Secret", secretOf(objects, part));
      const [cert, key, ca] = ["tls.crt", "tls.key", "ca.crt"].map((file) => Buffer.from(data[file], "base64"));
      return { cert, key, ca, minVersion: "TLSv1.3" } as tls.SecureContextOptions;
    });
    const server = tls.createServer({ ...records, requestCert: true, rejectUnauthorized: true });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const accepted = once(server, "secureConnection");
    const { port } = server.address() as AddressInfo;
    const client = tls.connect({ ...carrier, port, host: "127.0.0.1", servername: "shipping-records" });
    const [socket] = (await accepted) as [tls.TLSSocket];
    expect(client.authorized).toBe(true);
    expect(identityIn(socket.getPeerCertificate().subjectaltname, { production: false })?.part).toBe("carrier");
    client.destroy();
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test("unless an issuer, Secrets or a trusted network are named", () => {
    const existing = [...DATABASE_OWNERS, "operator"].map((part) => `tls.existingSecrets.${part}=own-${part}`);
    for (const set of [["tls.issuerRef.name=ca"], existing, ["tls.plaintextTrustsNetwork=true"]]) {
      const objects = objectsOf("trial", ...set);
      expect(objects.filter(({ type }: KubernetesObject) => type === "kubernetes.io/tls")).toEqual([]);
    }
    expect(secretOf(objectsOf("trial", ...existing), "records")).toBe("own-records");
  });
});

describe("times that would leave the parts without certificates", () => {
  const rendered = (name: string, duration: string, renewBefore: string) =>
    template(name, `tls.duration=${duration}`, `tls.renewBefore=${renewBefore}`);

  test.each([
    ["guarded", "24h", "48h", "tls.renewBefore must be shorter than tls.duration"],
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
    ["guarded", "24h", "8h"],
    ["istio", "24h", "24h"],
  ])("and no others: %s.yaml, %s, %s", (name, duration, renewBefore) => {
    expect(rendered(name, duration, renewBefore).status).toBe(0);
  });
});

test("without certificates, a switch whose name says what it means is set for every part", () => {
  const objects = objectsOf("istio");
  for (const part of DATABASE_OWNERS) {
    const { containers, volumes } = partOf(objects, part);
    const { TLS_CERT_FILE, RPC_PLAINTEXT_TRUSTS_NETWORK, NODE_ENV } = environmentOf(containers[0]);
    expect([TLS_CERT_FILE, RPC_PLAINTEXT_TRUSTS_NETWORK, NODE_ENV, volumes]).toEqual([
      undefined,
      "true",
      "production",
      undefined,
    ]);
  }
});
