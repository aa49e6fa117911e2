import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parts } from "@shipping/local/parts";
import { parse } from "yaml";
import { objectsOf } from "./rendered.js";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => parse(readFileSync(join(root, file), "utf8"));
const skaffold = read("skaffold.yaml");
const images = [...parts, "mcp", "cli"].map((part) => `shipping-${part}`);
const [release] = skaffold.manifests.helm.releases;
const profiles = Object.fromEntries(skaffold.profiles.map((profile: { name: string }) => [profile.name, profile]));

interface Patch {
  path: string;
  value: unknown;
}

test("every part's image and that of the commands are built from its workspace, and deployed", () => {
  const built = skaffold.build.artifacts.map(({ image }: { image: string }) => image);
  expect(built.sort()).toEqual([...images].sort());
  for (const { image, docker } of skaffold.build.artifacts) {
    const part = image.replace("shipping-", "");
    expect(existsSync(join(root, docker.dockerfile))).toBe(true);
    expect(read(join(docker.buildArgs.WORKSPACE, "package.json")).name).toBe(`@shipping/${part}`);
    const reference = `{{.IMAGE_FULLY_QUALIFIED_${image.replace("-", "_")}}}`;
    const value = part === "cli" ? "operator.image" : `parts.${part}.image`;
    expect(release.setValueTemplates[value]).toBe(reference);
  }
});

test("for `skaffold dev`, every part's image has the sources, which are exchanged and start anew", () => {
  const patches: Patch[] = profiles.dev.patches;
  const patched = (end: string) =>
    patches.filter(({ path }) => path.endsWith(end)).map(({ path }) => /image=([^/]+)/.exec(path)?.[1]);
  expect(patched("/docker/target").sort()).toEqual([...images].sort());
  expect(patched("/sync").sort()).toEqual([...images].sort());
  const { spec } = objectsOf("trial", "dev.hotReload=true").find(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name === "shipping-records",
  );
  // The kubelet would otherwise refuse what Skaffold writes.
  expect(spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem).toBe(false);
});

test("the values and the verification job of a profile exist, and the policies of the trial allow the job", () => {
  const files = [...release.valuesFiles, ...profiles.production.patches[0].value];
  for (const file of files) expect(existsSync(join(root, file))).toBe(true);
  const job = read(skaffold.verify[0].executionMode.kubernetesCluster.jobManifestPath);
  const objects = objectsOf("trial");
  const pod = objects.find(({ kind, metadata }) => kind === "Pod" && metadata.name === "shipping-smoke-test");
  expect(pod.metadata.labels).toMatchObject(job.spec.template.metadata.labels);
  const { volumes } = job.spec.template.spec;
  const named = [volumes[0].configMap.name, volumes[1].secret.secretName];
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(named));
});
