import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PART_NAMES } from "@shipping/proto/parts";
import { parse, parseAllDocuments } from "yaml";
import { type KubernetesObject, objectsOf } from "./rendered.js";

const root = join(import.meta.dirname, "../..");
const text = (file: string) => readFileSync(join(root, file), "utf8");
const read = (file: string) => parse(text(file));
const modules: KubernetesObject[] = parseAllDocuments(text("skaffold.yaml")).map((document) => document.toJS());
const skaffold = modules.find(({ metadata }) => metadata.name === "shipping");
const images = [...PART_NAMES, "cli"];
const [release] = skaffold.manifests.helm.releases;
const profilesOf = ({ profiles }: KubernetesObject) =>
  Object.fromEntries(profiles.map((profile: { name: string }) => [profile.name, profile]));
const profiles = profilesOf(skaffold);
const moduleOf = (image: string) => modules.find(({ metadata }) => metadata.name === image);

test.each(images)(
  "the image of %s is built from its workspace by a module of its own, and deployed with all others",
  (image) => {
    const [artifact, ...others] = moduleOf(image).build.artifacts;
    expect(others).toEqual([]);
    expect(artifact.image).toBe(`shipping-${image}`);
    expect(existsSync(join(root, artifact.docker.dockerfile))).toBe(true);
    expect(read(join(artifact.docker.buildArgs.WORKSPACE, "package.json")).name).toBe(`@shipping/${image}`);
    const value = image === "cli" ? "operator.image" : `parts.${image}.image`;
    expect(release.setValueTemplates[value]).toBe(`{{.IMAGE_FULLY_QUALIFIED_shipping_${image}}}`);
    expect(skaffold.requires).toEqual([{ configs: images }]);
  },
);

test.each(images)(
  "for `skaffold dev`, the image of %s has the sources that it is made of, which are exchanged",
  (image) => {
    const [target, sync] = profilesOf(moduleOf(image)).dev.patches;
    expect(target).toMatchObject({ path: `/build/artifacts/image=shipping-${image}/docker/target`, value: "dev" });
    const [artifact] = moduleOf(image).build.artifacts;
    const synced: string[] = sync.value.manual.map(({ src }: { src: string }) => src);
    expect(synced).toContain(`${artifact.docker.buildArgs.WORKSPACE}/src/**/*`);
    expect(synced).toContain("kit/src/**/*");
  },
);

test("the kubelet lets Skaffold write to a pod of the whole platform, or of the one part that is deployed", () => {
  for (const set of ["dev.hotReload=true", "parts.records.securityContext.readOnlyRootFilesystem=false"]) {
    const { spec } = objectsOf("trial", set).find(
      ({ kind, metadata }) => kind === "Deployment" && metadata.name === "shipping-records",
    );
    expect(spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem).toBe(false);
  }
});

test.each(images)("alone, %s is an upgrade of the release that runs, in which no other value changes", (image) => {
  const { deploy } = profilesOf(moduleOf(image)).alone;
  const value = image === "cli" ? "operator" : `parts.${image}`;
  expect(deploy.helm.flags).toEqual({ upgrade: ["--reset-then-reuse-values"] });
  expect(deploy.helm.releases).toEqual([
    {
      name: release.name,
      chartPath: release.chartPath,
      wait: true,
      setValueTemplates: { [`${value}.image`]: release.setValueTemplates[`${value}.image`] },
      setValues: { [`${value}.securityContext.readOnlyRootFilesystem`]: false },
    },
  ]);
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
