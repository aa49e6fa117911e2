import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  /** Files outside of the workspace that its code reads at run time. */
  reads?: string[];
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

/** The folders of all workspaces by the names of their packages. */
function workspaces(): Map<string, string> {
  const { workspaces: listed } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folders: string[] = listed.flatMap((folder: string) => expand(folder));
  const present = folders.filter((folder) => existsSync(join(root, folder, "package.json")));
  return new Map(present.map((folder) => [readManifest(folder).name, folder]));
}

/** The paths for which a path with a star in its last segment stands. */
function expand(path: string): string[] {
  const [folder = "", end] = path.split("/*");
  if (end === undefined) return [path];
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(end));
  return names.sort().map((name) => `${folder}/${name}`);
}

/** A workspace, and those on which it depends when it runs. */
export function dependenciesOf(workspace: string): string[] {
  const folders = workspaces();
  const found = new Set<string>();
  const add = (folder: string) => {
    if (found.has(folder)) return;
    found.add(folder);
    for (const name of Object.keys(readManifest(folder).dependencies ?? {})) {
      const own = folders.get(name);
      if (own) add(own);
    }
  };
  add(workspace);
  return [...found];
}

/** Folders and files that are in a workspace only to build, check or describe it. */
const LEFT_OUT = /^(src|gen|node_modules|tsconfig\.json|part\.yaml|.*\.(ts|md|txt|binpb)|buf\..*|shipping|grpc)$/;

/** The paths that the image of a workspace holds besides packages of npm: each is a file, or a folder with all that is below it. */
export function imageFiles(workspace: string): string[] {
  const folders = dependenciesOf(workspace);
  const own = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => !LEFT_OUT.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const read = folders.flatMap((folder) => readManifest(folder).reads ?? []).flatMap(expand);
  return [...new Set([...own, ...read])].sort();
}

/** Copies these files into a folder. */
export function copyImageFiles(workspace: string, target: string): void {
  for (const path of imageFiles(workspace)) cpSync(join(root, path), join(target, path), { recursive: true });
}
