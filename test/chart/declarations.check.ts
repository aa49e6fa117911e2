import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PARTS } from "@shipping/proto/parts";
import { parse, stringify } from "yaml";
import { chart, type KubernetesObject, objectsIn, run, workloadsIn } from "./rendered.js";

// The templates have no facts about a part of their own: they read those that `npm run parts` takes from its declaration.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "declared-"));
  cpSync(chart, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The objects of the production example after a change of what is declared. */
function objectsAfter(change: (parts: KubernetesObject[]) => void): KubernetesObject[] {
  const file = join(folder, "files/parts.yaml");
  const parts = parse(readFileSync(file, "utf8"));
  change(parts);
  writeFileSync(file, stringify(parts));
  const values = ["--namespace", "trial", "--values", join(chart, "ci/production.yaml")];
  return objectsIn(run("helm", ["template", "shipping", folder, ...values]));
}

const named = (objects: KubernetesObject[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);

test("a changed port is that of the container, the Service, the URLs of callers and the policies of both sides", () => {
  const objects = objectsAfter((parts) => {
    parts.find(({ name }) => name === "tracking").ports.rpc = 8123;
  });
  const [container] = named(objects, "Deployment", "shipping-tracking").spec.template.spec.containers;
  expect(container.env).toContainEqual({ name: "PORT", value: "8123" });
  expect(container.ports).toContainEqual({ name: "rpc", containerPort: 8123 });
  const { ports } = named(objects, "Service", "shipping-tracking").spec;
  expect(ports).toContainEqual({ name: "rpc", port: 8123, targetPort: "rpc" });
  const urls = workloadsIn(objects).flatMap(({ pod }) =>
    pod.containers[0].env.filter(({ name }: KubernetesObject) => name === "TRACKING_URL"),
  );
  // The gateway, the portal, carrier, the operator and the smoke test.
  expect(urls).toEqual(Array(5).fill({ name: "TRACKING_URL", value: "https://shipping-tracking:8123" }));
  const policy = named(objects, "NetworkPolicy", "shipping-tracking").spec;
  expect(policy.ingress.flatMap((rule: KubernetesObject) => rule.ports)).toContainEqual({ port: 8123 });
  const toTracking = {
    podSelector: { matchLabels: expect.objectContaining({ "app.kubernetes.io/component": "tracking" }) },
  };
  expect(named(objects, "NetworkPolicy", "shipping-carrier").spec.egress).toContainEqual({
    to: [toTracking],
    ports: [{ port: 8123 }],
  });
});

test("a part that calls one more part gets its URL, and both policies let it", () => {
  const objects = objectsAfter((parts) => {
    parts.find(({ name }) => name === "tracking").calls.push("records");
  });
  const port = PARTS.records.ports.rpc;
  const [container] = named(objects, "Deployment", "shipping-tracking").spec.template.spec.containers;
  expect(container.env).toContainEqual({ name: "RECORDS_URL", value: `https://shipping-records:${port}` });
  const component = (name: string) => ({
    podSelector: { matchLabels: expect.objectContaining({ "app.kubernetes.io/component": name }) },
  });
  expect(named(objects, "NetworkPolicy", "shipping-tracking").spec.egress).toContainEqual({
    to: [component("records")],
    ports: [{ port }],
  });
  const [calls] = named(objects, "NetworkPolicy", "shipping-records").spec.ingress;
  expect(calls).toEqual({ from: expect.arrayContaining([component("tracking")]), ports: [{ port }] });
});
