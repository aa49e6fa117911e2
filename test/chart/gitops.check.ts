import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DATABASE_OWNERS } from "@shipping/proto/parts";
import { chart, KUBERNETES, objectsIn, objectsOf, release, run, template } from "./rendered.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gitops-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const production = join(chart, "ci/production.yaml");
const cluster = ["--namespace", "trial", "--kube-version", KUBERNETES];

/** A copy of the chart, with another version. */
function chartOfVersion(name: string, version: string): string {
  const copy = join(folder, name);
  cpSync(chart, copy, { recursive: true });
  const file = join(copy, "Chart.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(/^version: .*$/m, `version: ${version}`));
  return copy;
}

test("Flux adds the commit to the version of the chart: every label stays valid", () => {
  const copy = chartOfVersion("flux", "1.0.0+6d3fa8c1b2e4f5a6978877665544332211009988.1234567890abcdef");
  const objects = objectsIn(run("helm", ["template", "shipping", copy, ...cluster, "--values", production]));
  for (const { kind, metadata, spec } of objects) {
    for (const labels of [metadata.labels, spec?.template?.metadata?.labels ?? {}]) {
      for (const value of Object.values(labels)) {
        expect([kind, metadata.name, value]).toEqual([
          kind,
          metadata.name,
          expect.stringMatching(/^([A-Za-z0-9][\w.-]{0,61})?[A-Za-z0-9]$/),
        ]);
      }
    }
  }
});

test("its commits restart no pod, unless they change an image or values", () => {
  const podsOf = (folder: string) =>
    objectsIn(run("helm", ["template", "shipping", folder, ...cluster, "--values", production]))
      .filter(({ kind }) => kind === "Deployment")
      .map(({ spec }) => spec.template);
  expect(podsOf(chartOfVersion("next", "1.0.0+6d3fa8c"))).toEqual(podsOf(chart));
});

test("for Argo CD, migrations are hooks, so that it misses none that Kubernetes has deleted, and their ServiceAccount comes before them", () => {
  const objects = objectsOf("argo-cd");
  const waveOf = (annotations: Record<string, string> = {}) => Number(annotations["argocd.argoproj.io/sync-wave"] ?? 0);
  const jobs = objects.filter(({ kind }) => kind === "Job");
  expect(jobs).toHaveLength(DATABASE_OWNERS.length);
  for (const { metadata, spec } of jobs) {
    expect(metadata.annotations).toMatchObject({ "argocd.argoproj.io/hook": "Sync" });
    const { serviceAccountName: name } = spec.template.spec;
    const account = objects.find(({ kind, metadata }) => kind === "ServiceAccount" && metadata.name === name);
    expect(waveOf(account.metadata.annotations)).toBeLessThan(waveOf(metadata.annotations));
    expect(waveOf(metadata.annotations)).toBeLessThan(0);
  }
});

test("an umbrella chart installs it under a condition, twice if it gives it another name", () => {
  const umbrella = join(folder, "umbrella");
  const dependencies = ["shipping", "parcels"].map((name) => ({
    name: "shipping",
    version: "1.0.0",
    condition: `${name}.enabled`,
    ...(name !== "shipping" && { alias: name }),
  }));
  cpSync(chart, join(umbrella, "charts/shipping"), { recursive: true });
  writeFileSync(
    join(umbrella, "Chart.yaml"),
    JSON.stringify({ apiVersion: "v2", name: "umbrella", version: "1.0.0", dependencies }),
  );
  const nest = (name: string) => readFileSync(production, "utf8").replace(/^/gm, "  ").replace(/^/, `${name}:\n`);
  writeFileSync(join(umbrella, "values.yaml"), `${nest("shipping")}\n${nest("parcels")}`);
  const namesWith = (...set: string[]) =>
    objectsIn(run("helm", ["template", "shop", umbrella, ...cluster, ...set.flatMap((one) => ["--set", one])]))
      .filter(({ kind }) => kind === "Deployment")
      .map(({ metadata }) => metadata.name);
  expect(namesWith("shipping.enabled=true", "parcels.enabled=true")).toHaveLength(2 * (DATABASE_OWNERS.length + 2));
  const names = namesWith("shipping.enabled=false", "parcels.enabled=true", "global.domain=example.com");
  // The parts with a database, the MCP server, and the operator.
  expect(names).toHaveLength(DATABASE_OWNERS.length + 2);
  for (const name of names) expect(name).toMatch(/^shop-parcels-/);
});

test.each(["eu.shipping", "2-shipping"])(
  "the release %s, whose name no Service can have, is refused by name, unless it names its objects itself",
  (name) => {
    const { status, text } = release(name, "production");
    expect(status).not.toBe(0);
    expect(text).toContain(`"${name}" cannot be part of the names of Services`);
    const named = objectsIn(release(name, "production", "fullnameOverride=eu-shipping"));
    for (const { metadata } of named) expect(metadata.name).toMatch(/^eu-shipping/);
  },
);

test("two renderings for production are the same, and do not query the cluster", () => {
  expect(template("production").text).toBe(template("production").text);
  const looked = run("grep", ["--recursive", "--files-with-matches", "lookup ", join(chart, "templates")]).text;
  expect(looked.split("\n").filter((file) => file !== "" && !file.includes("/templates/dev/"))).toEqual([]);
});

test("with --skip-tests, as the guide says, the applied objects contain no test", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/operations/upgrade.md"), "utf8");
  const [command] = /helm template shipping .*--skip-tests/.exec(guide) ?? [];
  expect(command).toBeDefined();
  const args = ["template", "shipping", chart, ...cluster, "--values", production];
  const hooks = (...flags: string[]) =>
    objectsIn(run("helm", [...args, ...flags])).filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"]);
  expect(hooks().map(({ kind }) => kind)).toEqual(["Pod"]);
  expect(hooks("--skip-tests")).toEqual([]);
  expect(objectsOf("production").filter(({ kind }) => kind === "Pod")).toHaveLength(1);
});
