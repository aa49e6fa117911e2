import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The packages whose versions are their own, because others install them without the platform. */
const INDEPENDENT = ["shipping-client", "shipping-mcp", "@shipping/conformance"];

/** The files besides the manifests that name the release, after what is before it. */
const NAMED: Record<string, RegExp> = {
  "deploy/chart/Chart.yaml": /^((?:version|appVersion): )(\S+)$/gm,
  "deploy/chart/ci/production.yaml": /(\btag: )([\w.-]+)/g,
  "deploy/operator-job.yaml": /(\/shipping-cli:)(\S+)/g,
};

const readJson = (root: string, path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const writeJson = (root: string, path: string, value: unknown) =>
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`);

/** The manifests of all workspaces with the platform's version, by their paths; first that of the root. */
function manifests(root: string): [path: string, manifest: Manifest][] {
  const { packages } = readJson(root, "package-lock.json");
  return Object.keys(packages)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder): [string, Manifest] => {
      const path = join(folder, "package.json");
      return [path, readJson(root, path)];
    })
    .filter(([, { name = "" }]) => !INDEPENDENT.includes(name));
}

/** Returns the version of the platform, which the root's manifest has. */
export function currentVersion(root: string): string {
  return readJson(root, "package.json").version;
}

/** Returns every place that names the version of the platform, with the version that it names. */
export function namedVersions(root: string): [place: string, version: string][] {
  const all = manifests(root);
  const names = all.map(([, { name }]) => name);
  const { packages } = readJson(root, "package-lock.json");
  const ofManifest = (place: string, { version = "", ...manifest }: Manifest): [string, string][] => [
    [place, version],
    ...Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
      .filter(([name]) => names.includes(name))
      .map(([name, needed]): [string, string] => [`${place}: ${name}`, needed]),
  ];
  return [
    ...all.flatMap(([path, manifest]) => ofManifest(path, manifest)),
    ...all.flatMap(([path]) =>
      ofManifest(`package-lock.json: ${path}`, packages[path.replace(/\/?package\.json$/, "")]),
    ),
    ...Object.entries(NAMED).flatMap(([path, pattern]) => {
      const found = [...readFileSync(join(root, path), "utf8").matchAll(pattern)];
      return found.map(([, , version = ""]): [string, string] => [path, version]);
    }),
  ];
}

/** Writes a version into all these places. */
export function setVersion(root: string, version: string): void {
  const all = manifests(root);
  const names = new Set(all.map(([, { name }]) => name));
  const renew = (manifest: Manifest) => {
    manifest.version = version;
    for (const needed of [manifest.dependencies, manifest.devDependencies]) {
      for (const name of Object.keys(needed ?? {})) if (needed && names.has(name)) needed[name] = version;
    }
  };
  const lock = readJson(root, "package-lock.json");
  lock.version = version;
  for (const [path, manifest] of all) {
    renew(manifest);
    writeJson(root, path, manifest);
    renew(lock.packages[path.replace(/\/?package\.json$/, "")]);
  }
  writeJson(root, "package-lock.json", lock);
  for (const [path, pattern] of Object.entries(NAMED)) {
    const file = join(root, path);
    writeFileSync(file, readFileSync(file, "utf8").replace(pattern, `$1${version}`));
  }
}
