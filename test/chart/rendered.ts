import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseAllDocuments } from "yaml";

export const chart = join(import.meta.dirname, "../../deploy/chart");

/** The release of Kubernetes that the chart is checked for. */
export const KUBERNETES = "1.34.0";

/** Where `get-tools.sh` has put the missing tools. */
export const tools = execFileSync(join(import.meta.dirname, "get-tools.sh"), { encoding: "utf8" }).trim();

const env = { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH}` };

/** The output and the exit status of a program. */
export interface Said {
  status: number | null;
  text: string;
}

/** Runs one of the tools. */
export function run(program: string, args: readonly string[], input = ""): Said {
  const { status, stdout, stderr } = spawnSync(program, args, { env, input, encoding: "utf8", maxBuffer: 1 << 26 });
  return { status, text: `${stdout}${stderr}` };
}

/** The values cases that the chart is checked with. */
export const cases = readdirSync(join(chart, "ci")).map((file) => file.replace(/\.yaml$/, ""));

/** Renders the chart with a case's values, and further ones as `key=value`. */
export function template(name: string, ...set: string[]): Said {
  return release("shipping", name, ...set);
}

/** The same for a release of another name than `shipping`. */
export const release = once((releaseName: string, name: string, ...set: string[]) =>
  run("helm", ["template", releaseName, ...withCase(name), ...set.flatMap((one) => ["--set", one])]),
);

/** Keeps the results of a function by its texts: rendering and parsing take a second of CPU, and tests look at the same objects from many sides. */
function once<Result>(make: (...texts: string[]) => Result): (...texts: string[]) => Result {
  const made = new Map<string, Result>();
  return (...texts) => {
    const key = JSON.stringify(texts);
    if (!made.has(key)) made.set(key, make(...texts));
    return made.get(key) as Result;
  };
}

/** Renders the chart with a case's values, and an object of further ones. */
export function templateWith(name: string, values: object): Said {
  return run("helm", ["template", "shipping", ...withCase(name), "--values", "-"], JSON.stringify(values));
}

const withCase = (name: string) => [
  ...[chart, "--namespace", "trial", "--kube-version", KUBERNETES],
  ...["--values", join(chart, "ci", `${name}.yaml`)],
];

/** Validates the rendered objects with the schemas of Kubernetes; other kinds belong to their operators. Loading the schemas takes seconds. */
export function kubeconform(rendered: Record<string, string>): Said {
  const folder = mkdtempSync(join(tmpdir(), "rendered-"));
  for (const [name, text] of Object.entries(rendered)) writeFileSync(join(folder, `${name}.yaml`), text);
  const names = ["{{ .NormalizedKubernetesVersion }}-local{{ .StrictSuffix }}", "{{ .ResourceKind }}{{ .KindSuffix }}"];
  const schemas = `${join(tools, "schemas", ...names)}.json`;
  const others = "ServiceMonitor,PrometheusRule,Certificate,HTTPRoute";
  const args = ["-strict", "-kubernetes-version", KUBERNETES, "-schema-location", schemas, "-skip", others];
  const said = run("kubeconform", [...args, folder]);
  rmSync(folder, { recursive: true });
  return said;
}

/** A Kubernetes object, typed as far as a rule needs. */
// biome-ignore lint/suspicious/noExplicitAny: objects of twenty kinds; kubeconform has checked their shape.
export type KubernetesObject = any;

/** The objects that a case yields. They are shared, so a test must not change them. */
export const objectsOf: (name: string, ...set: string[]) => KubernetesObject[] = once((...given: string[]) => {
  const [name = "", ...set] = given;
  return objectsIn(template(name, ...set));
});

/** The rendered objects. */
export function objectsIn({ status, text }: Said): KubernetesObject[] {
  if (status !== 0) throw new Error(text);
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(Boolean);
}

/** Everything that runs pods: an object's name, its pods' labels and their specification. */
export function workloadsIn(objects: readonly KubernetesObject[]) {
  return objects.flatMap(({ kind, metadata, spec }) => {
    if (kind === "Pod") return [{ kind, name: metadata.name, labels: metadata.labels, pod: spec }];
    const template = spec?.jobTemplate?.spec.template ?? spec?.template;
    return template?.spec ? [{ kind, name: metadata.name, labels: template.metadata.labels, pod: template.spec }] : [];
  });
}
