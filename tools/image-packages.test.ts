import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { PART_NAMES, PARTS } from "@shipping/proto/parts";
import { dependenciesOf } from "./image-files.js";

// The Dockerfile installs the packages of one workspace, removes what was needed to install them, and copies the rest. Its commands run here on
// folders such as npm leaves, because a package that is missing from an image shows only when the image starts.

const root = join(import.meta.dirname, "..");
const images = [...PART_NAMES.map((part) => PARTS[part].folder), "cli"];
const dockerfile = readFileSync(join(root, "deploy/Dockerfile"), "utf8").replaceAll("\\\n", " ");

/** The lines of a stage. */
function stage(name: string): string[] {
  const [, lines] = new RegExp(`^FROM \\S+ AS ${name}\\n(.*?)(?=^FROM |$(?![^]))`, "ms").exec(dockerfile) ?? [];
  return (lines ?? "").split("\n");
}

/** The commands that follow the writing of the SBOM in the same RUN. */
const cleaning = stage("dependencies").flatMap(
  (line) => /^RUN node \/app\/tools\/write-sbom\.mjs +&& (.*)/.exec(line)?.[1] ?? [],
);
const copies = stage("runtime").flatMap((line) => {
  const [, paths = ""] = /^COPY --from=dependencies (.*)/.exec(line) ?? [];
  return paths ? [paths.split(/ +/)] : [];
});

interface Lock {
  packages: Record<string, { dev?: boolean; link?: boolean }>;
}

const { packages }: Lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** The packages that npm puts into the folders of a workspace and of those on which it depends, because the root has another version. */
function besideRoot(workspace: string): string[] {
  const folders = dependenciesOf(workspace).map((folder) => `${folder}/node_modules/`);
  return Object.keys(packages).filter(
    (path) => !packages[path]?.dev && folders.some((folder) => path.startsWith(folder)),
  );
}

function write(folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), "");
}

/** The files that an image gets from the folder in which npm has installed the packages. */
function copied(folder: string, workspace: string): string[] {
  const [production, image] = [join(folder, "production"), join(folder, "image")];
  const installed = ["node_modules/express", ...besideRoot(workspace)].map((path) => `${path}/lib/index.js`);
  const manifests = ["package-lock.json", ".npmrc", "client/package.json", "mcp/bin/x.js", `${workspace}/package.json`];
  for (const path of [...installed, ...manifests, "sbom.cdx.json", "licenses.txt"]) write(production, path);
  for (const commands of cleaning) execFileSync("sh", ["-c", commands], { cwd: production });
  for (const paths of copies) {
    const target = join(image, paths.at(-1)!);
    for (const source of paths.slice(0, -1)) {
      const isFile = statSync(join(folder, source)).isFile();
      cpSync(join(folder, source), isFile ? join(target, basename(source)) : target, { recursive: true });
    }
  }
  return readdirSync(image, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(image.length + 1));
}

test("npm puts packages beside the root, and the documentation needs one", () => {
  expect(besideRoot("services/portal").some((path) => path.startsWith("site/"))).toBe(true);
  expect(cleaning).toHaveLength(1);
});

test.each(images)(
  "the image of %s holds the packages of its workspaces, also those beside the root, and no manifest",
  (workspace) => {
    const folder = mkdtempSync(join(tmpdir(), "image-packages-"));
    try {
      const held = ["node_modules/express", ...besideRoot(workspace)].map((path) => `${path}/lib/index.js`);
      expect(copied(folder, workspace).sort()).toEqual([...held, "sbom.cdx.json", "licenses.txt"].sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
