import { readFileSync } from "node:fs";
import { join } from "node:path";
import { busUsers } from "@shipping/local/servers/bus-users";
import { DATABASE_OWNERS } from "@shipping/proto/parts";
import { chart, type KubernetesObject, objectsOf, template, workloadsIn } from "./rendered.js";

const BUS = ["records", "carrier", "webhooks"];
const env =
  (name: string, ...set: string[]) =>
  (part: string) =>
    partOf(part, name, ...set).containers[0].env;

function partOf(part: string, name: string, ...set: string[]): KubernetesObject {
  return workloadsIn(objectsOf(name, ...set)).find((workload) => workload.name === `shipping-${part}`)?.pod;
}

const natsIn = (env: KubernetesObject[]) =>
  Object.fromEntries(
    env
      .filter(({ name }) => /^NATS_(?!URL|REPLICAS)/.test(name))
      .map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );

test("NATS knows each part by a password of that part's Secret, mounted as a file", () => {
  for (const part of BUS) {
    expect(natsIn(env("production")(part))).toEqual({
      NATS_USER: { secretKeyRef: { name: `shipping-${part}`, key: "NATS_USER" } },
      NATS_PASSWORD_FILE: "/nats/password",
    });
    const { volumes, containers } = partOf(part, "production");
    expect(volumes).toContainEqual({
      name: "nats",
      secret: { secretName: `shipping-${part}`, items: [{ key: "NATS_PASSWORD", path: "password" }] },
    });
    expect(containers[0].volumeMounts).toContainEqual({ name: "nats", mountPath: "/nats", readOnly: true });
  }
});

test.each([
  ["credentials", { NATS_CREDENTIALS_FILE: "/nats/credentials" }, ["NATS_CREDENTIALS"]],
  ["certificate", { NATS_CERT_FILE: "/nats/tls.crt", NATS_KEY_FILE: "/nats/tls.key" }, ["NATS_CERT", "NATS_KEY"]],
])("or by its %s, and it knows NATS by an authority", (identity, variables, keys) => {
  const set = [`nats.identity=${identity}`, "nats.caSecret=nats-ca"];
  expect(natsIn(env("production", ...set)("records"))).toEqual({ ...variables, NATS_CA_FILE: "/nats-ca/ca.crt" });
  const { volumes } = partOf("records", "production", ...set);
  const nats = volumes.find(({ name }: KubernetesObject) => name === "nats");
  expect(nats.secret.items.map(({ key }: KubernetesObject) => key)).toEqual(keys);
  expect(volumes).toContainEqual({
    name: "nats-ca",
    secret: { secretName: "nats-ca", items: [{ key: "ca.crt", path: "ca.crt" }] },
  });
});

test("a part without events has no settings of NATS", () => {
  for (const part of ["gateway", "portal", "tracking"]) {
    expect(env("production")(part).filter(({ name }: KubernetesObject) => name.startsWith("NATS"))).toEqual([]);
    const names = partOf(part, "production", "nats.caSecret=nats-ca").volumes.map(({ name }: KubernetesObject) => name);
    expect(names).toEqual(["tls"]);
  }
});

test("without an identity only under a switch whose name says what it means; a misspelt one is refused", () => {
  expect(natsIn(env("istio")("records"))).toEqual({ NATS_ANONYMOUS_TRUSTS_NETWORK: "true" });
  expect(template("production", "nats.identity=none").status).not.toBe(0);
});

describe("a trial's NATS", () => {
  const objects = objectsOf("trial");
  const pod = workloadsIn(objects).find(({ name }) => name === "shipping-nats")?.pod;

  test("lets in the users of its configuration alone, each with a password out of a Secret of its own", () => {
    const config = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "shipping-nats");
    const [generated, ...lines] = readFileSync(join(chart, "files/nats.conf"), "utf8").trim().split("\n");
    expect(generated).toContain("npm run parts");
    expect(config.data["nats.conf"].trim()).toBe(lines.join("\n"));
    expect([...config.data["nats.conf"].matchAll(/\buser: (\w+)/g)].map(([, user]) => user)).toEqual([...busUsers]);
    expect(pod.containers[0].args).toContain("--config=/config/nats.conf");
    expect(pod.containers[0].env).toEqual(
      busUsers.flatMap((user) => [
        {
          name: `NATS_SECRET_${user.toUpperCase()}`,
          valueFrom: { secretKeyRef: { name: `shipping-dev-${user}`, key: "NATS_PASSWORD" } },
        },
        // In quotes, as `deploy/local/src/servers/bus-users.test.ts` shows that NATS needs it.
        { name: `NATS_PASSWORD_${user.toUpperCase()}`, value: `"$(NATS_SECRET_${user.toUpperCase()})"` },
      ]),
    );
  });

  test("knows the parts by the same Secrets", () => {
    for (const user of busUsers) {
      const { stringData } = objects.find(
        ({ kind, metadata }) => kind === "Secret" && metadata.name === `shipping-dev-${user}`,
      );
      expect(stringData).toMatchObject({ NATS_USER: user, NATS_PASSWORD: expect.stringMatching(/^\w{24}$/) });
    }
    expect(natsIn(env("trial")("carrier"))).toEqual({
      NATS_USER: { secretKeyRef: { name: "shipping-dev-carrier", key: "NATS_USER" } },
      NATS_PASSWORD_FILE: "/nats/password",
    });
  });
});

test("every pod that opens a database has PostgreSQL's authority, including the migrations", () => {
  const pods = workloadsIn(objectsOf("production", "databaseCaSecret=postgres-ca"));
  const withDatabase = pods.filter(({ pod }) =>
    pod.containers.some(({ env = [] }: KubernetesObject) =>
      env.some(({ name }: KubernetesObject) => name === "DATABASE_URL"),
    ),
  );
  expect(withDatabase).toHaveLength(2 * DATABASE_OWNERS.length);
  for (const { pod } of withDatabase) {
    expect(pod.volumes).toContainEqual({
      name: "database-ca",
      secret: { secretName: "postgres-ca", items: [{ key: "ca.crt", path: "ca.crt" }] },
    });
    for (const { volumeMounts } of pod.containers) {
      expect(volumeMounts).toContainEqual({ name: "database-ca", mountPath: "/database-ca", readOnly: true });
    }
  }
});

test("a private authority of mail server and OpenID provider is trusted by the portal alone, besides public ones", () => {
  const set = "parts.portal.caSecret=company-ca";
  const trusted = (part: string) =>
    env("production", set)(part).filter(({ name }: KubernetesObject) => name === "NODE_EXTRA_CA_CERTS");
  expect(trusted("portal")).toEqual([{ name: "NODE_EXTRA_CA_CERTS", value: "/ca/ca.crt" }]);
  const { volumes, containers } = partOf("portal", "production", set);
  const items = [{ key: "ca.crt", path: "ca.crt" }];
  expect(volumes).toContainEqual({ name: "ca", secret: { secretName: "company-ca", items } });
  expect(containers[0].volumeMounts).toContainEqual({ name: "ca", mountPath: "/ca", readOnly: true });
  for (const part of [...BUS, "gateway", "tracking"]) expect(trusted(part)).toEqual([]);
  expect(template("production", "parts.webhooks.caSecret=company-ca").status).not.toBe(0);
});

test("every pod can get its image from a private registry", () => {
  for (const { name, pod } of workloadsIn(objectsOf("replicated", "imagePullSecrets[0].name=registry"))) {
    expect([name, pod.imagePullSecrets]).toEqual([name, [{ name: "registry" }]]);
  }
});

describe("the name of a Secret", () => {
  const secretsIn = (objects: KubernetesObject[], part: string) =>
    Object.fromEntries(
      workloadsIn(objects)
        .find(({ name }) => name === `shipping-${part}`)!
        .pod.containers[0].env.flatMap(({ name, valueFrom }: KubernetesObject) =>
          valueFrom?.secretKeyRef ? [[name, `${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`]] : [],
        ),
    );

  test("is that for all parts, unless the part, or the setting, has another", () => {
    const set = ["parts.records.existingSecret=orders", "parts.carrier.secrets.DATABASE_URL.name=rates"];
    const objects = objectsOf("production", ...set);
    expect(secretsIn(objects, "tracking").DATABASE_URL).toBe("shipping-tracking/DATABASE_URL");
    expect(secretsIn(objects, "records").DATABASE_URL).toBe("orders/DATABASE_URL");
    expect(secretsIn(objects, "carrier")).toMatchObject({
      DATABASE_URL: "rates/DATABASE_URL",
      NATS_USER: "shipping-carrier/NATS_USER",
    });
  });

  test("can be another for one setting of all parts, with its key", () => {
    const objects = objectsOf("cloudnative-pg", "secrets.NATS_USER.name=bus-{part}");
    expect(secretsIn(objects, "records").NATS_USER).toBe("bus-records/username");
    expect(secretsIn(objects, "webhooks").SECRETS_KEYS).toBe("shipping-encryption-keys/keys");
    expect(template("production", "existingSecret=shipping").text).toContain("/existingSecret");
  });
});
