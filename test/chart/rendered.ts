import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseAllDocuments } from "yaml";

export const chart = join(import.meta.dirname, "../../deploy/chart");

/** The release of Kubernetes that the chart is checked for. */
export const KUBERNETES = "1.34.0";

/** Where `get-tools.sh` has put what was not there. */
export const tools = execFileSync(join(import.meta.dirname, "get-tools.sh"), { encoding: "utf8" }).trim();

const env = { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH}` };

/** What a program said, and how it ended. */
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
export function release(releaseName: string, name: string, ...set: string[]): Said {
  const values = ["--values", join(chart, "ci", `${name}.yaml`), ...set.flatMap((one) => ["--set", one])];
  const cluster = ["--namespace", "trial", "--kube-version", KUBERNETES];
  return run("helm", ["template", releaseName, chart, ...cluster, ...values]);
}

/** A Kubernetes object, typed as far as a rule needs. */
// biome-ignore lint/suspicious/noExplicitAny: objects of twenty kinds; kubeconform has checked their shape.
export type KubernetesObject = any;

/** The objects that a case yields. */
export function objectsOf(name: string, ...set: string[]): KubernetesObject[] {
  return objectsIn(template(name, ...set));
}

/** The objects of what was rendered. */
export function objectsIn({ status, text }: Said): KubernetesObject[] {
  if (status !== 0) throw new Error(text);
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(Boolean);
}

/** Everything that runs: an object's name, its pods' labels and their specification. */
export function workloadsIn(objects: readonly KubernetesObject[]) {
  return objects.flatMap(({ kind, metadata, spec }) => {
    if (kind === "Pod") return [{ kind, name: metadata.name, labels: metadata.labels, pod: spec }];
    const template = spec?.jobTemplate?.spec.template ?? spec?.template;
    return template?.spec ? [{ kind, name: metadata.name, labels: template.metadata.labels, pod: template.spec }] : [];
  });
}
