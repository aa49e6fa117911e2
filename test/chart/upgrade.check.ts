import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { parts } from "@shipping/local/parts";
import { chart, KUBERNETES, type KubernetesObject, objectsIn, objectsOf, run, tools } from "./rendered.js";

const SECRETS = "/api/v1/namespaces/trial/secrets/";
const secrets = new Map<string, KubernetesObject>();

/** The part of the Kubernetes API that helm reads before it calls `lookup`: its version and its kinds. */
function discoveryOf(objects: KubernetesObject[]): Record<string, object> {
  const versions = [...new Set(objects.map(({ apiVersion }) => apiVersion as string))];
  const kindsOf = (version: string) =>
    new Set(objects.filter(({ apiVersion }) => apiVersion === version).map(({ kind }) => kind as string));
  const resources = (version: string) =>
    [...kindsOf(version)].map((kind) => ({ name: `${kind.toLowerCase()}s`, namespaced: true, kind, verbs: ["get"] }));
  const groups = versions
    .filter((version) => version !== "v1")
    .map((groupVersion) => {
      const [name, version] = groupVersion.split("/");
      return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
    });
  return {
    "/version": { major: "1", minor: "34", gitVersion: "v1.34.0" },
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": { kind: "APIGroupList", apiVersion: "v1", groups },
    ...Object.fromEntries(
      versions.map((version) => [
        version === "v1" ? "/api/v1" : `/apis/${version}`,
        { kind: "APIResourceList", groupVersion: version, resources: resources(version) },
      ]),
    ),
  };
}

let api: Server;
let folder: string;
beforeAll(async () => {
  const discovery = discoveryOf(objectsOf("trial"));
  api = createServer(({ url = "" }, response) => {
    const path = url.split("?")[0] ?? "";
    const found = discovery[path] ?? secrets.get(path.replace(SECRETS, ""));
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? status));
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  folder = mkdtempSync(join(tmpdir(), "chart-upgrade-"));
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const config = {
    kind: "Config",
    apiVersion: "v1",
    clusters: [{ name: "fake", cluster: { server } }],
    users: [{ name: "fake", user: {} }],
    contexts: [{ name: "fake", context: { cluster: "fake", user: "fake" } }],
    "current-context": "fake",
  };
  writeFileSync(join(folder, "config"), JSON.stringify(config));
});
afterAll(async () => {
  await new Promise((resolve) => api.close(resolve));
  rmSync(folder, { recursive: true });
});

/** The Secrets of a trial, rendered with a cluster that holds `secrets`. */
async function upgraded(): Promise<Record<string, KubernetesObject>> {
  const args = ["template", "shipping", chart, "--namespace", "trial", "--kube-version", KUBERNETES];
  const values = ["--dry-run=server", "--disable-openapi-validation", "--values", join(chart, "ci/trial.yaml")];
  const env = {
    ...process.env,
    PATH: [tools, process.env.PATH].join(delimiter),
    KUBECONFIG: join(folder, "config"),
  };
  const child = spawn("helm", [...args, ...values], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [[status], out] = await Promise.all([once(child, "close"), text(child.stdout)]);
  return secretsIn(objectsIn({ status, text: out }));
}

function secretsIn(objects: KubernetesObject[]): Record<string, KubernetesObject> {
  const found = objects.filter(({ kind }) => kind === "Secret");
  return Object.fromEntries(found.map(({ metadata, data, stringData }) => [metadata.name, { ...data, ...stringData }]));
}

test("another release of the chart leaves a trial's PostgreSQL and NATS alone, and replaces the parts", () => {
  const next = join(folder, "next");
  cpSync(chart, next, { recursive: true });
  const manifest = join(next, "Chart.yaml");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/^(version|appVersion): .*$/gm, "$1: 99.0.0"));
  const values = ["--kube-version", KUBERNETES, "--set", "image.tag=1.0.0", "--values", join(chart, "ci/trial.yaml")];
  const podsIn = (from: string) => {
    const objects = objectsIn(run("helm", ["template", "shipping", from, ...values]));
    const of = (kind: string) => objects.filter((object) => object.kind === kind).map(({ spec }) => spec.template);
    return { servers: of("StatefulSet"), parts: of("Deployment") };
  };
  const [before, after] = [podsIn(chart), podsIn(next)];
  expect(before.servers).toHaveLength(2);
  expect(after.servers).toEqual(before.servers);
  expect(after.parts).not.toEqual(before.parts);
});

test("an upgrade of a trial keeps its certificates; if one is gone, all are made again, by one authority", async () => {
  const installed = objectsOf("trial").filter(({ type }: KubernetesObject) => type === "kubernetes.io/tls");
  for (const { metadata, ...secret } of installed) {
    // The labels and annotations with which helm marks its own objects.
    const annotations = { "meta.helm.sh/release-name": "shipping", "meta.helm.sh/release-namespace": "trial" };
    secrets.set(metadata.name, { ...secret, metadata: { ...metadata, annotations } });
  }
  // Those of the parts with a database, and the operator's.
  expect(secrets.size).toBe(parts.length + 1);
  expect(await upgraded()).toMatchObject(secretsIn(installed));

  secrets.delete("shipping-records-tls");
  const renewed = Object.entries(await upgraded()).filter(([name]) => name.endsWith("-tls"));
  expect(renewed).toHaveLength(secrets.size + 1);
  expect(new Set(renewed.map(([, data]) => data["ca.crt"])).size).toBe(1);
  for (const [name, data] of renewed) expect(data["tls.crt"]).not.toBe(secretsIn(installed)[name]["tls.crt"]);
});
