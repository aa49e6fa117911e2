// A step of `npm run generate`: the packages of both clients, as they are published and as the documentation site serves them. The same sources give
// the same bytes under any version of Node. The wheel is what `pip wheel` makes, without Python: test/python compares them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync, strToU8, zipSync } from "fflate";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "site/assets/gen/clients");
mkdirSync(folder, { recursive: true });
packTypeScript();
packPython();

function packTypeScript() {
  try {
    execFileSync("tsc", ["-b", "client"], { cwd: root });
  } catch {
    // The platform also runs with type errors in the client. `npm run build` reports them.
  }
  const pack = ["pack", "--workspace", "client", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", pack, { cwd: root, stdio: ["ignore", "pipe", "pipe"] }));
  const tar = gunzipSync(readFileSync(join(folder, filename)));
  writeFileSync(join(folder, filename), gzipSync(tar, { level: 9, mtime: 0 }));
}

function packPython() {
  const sources = join(root, "client-python");
  const read = (path) => readFileSync(join(sources, path));
  const [, version] = /"(.+)"/.exec(read("src/shipping_client/version.py"));
  // TOML, whose values there are JSON.
  const [, project = ""] = read("pyproject.toml")
    .toString()
    .split(/^\[project\]$|^\[tool\./m);
  const told = Object.fromEntries(
    Array.from(project.matchAll(/^([\w-]+) = (.+)$/gm), ([, name, value]) => [name, JSON.parse(value)]),
  );
  const metadata = [
    "Metadata-Version: 2.4",
    `Name: ${told.name}`,
    `Version: ${version}`,
    `Summary: ${told.description}`,
    `Keywords: ${told.keywords.sort().join(",")}`,
    ...told.classifiers.sort().map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${told["requires-python"]}`,
    "Description-Content-Type: text/markdown",
    "",
    read(told.readme),
  ].join("\n");
  const code = readdirSync(join(sources, "src/shipping_client"), { recursive: true }).filter((path) =>
    /\.py$|py\.typed$/.test(path),
  );
  const info = `shipping_client-${version}.dist-info`;
  const files = {
    ...Object.fromEntries(code.sort().map((path) => [`shipping_client/${path}`, read(`src/shipping_client/${path}`)])),
    [`${info}/METADATA`]: strToU8(metadata),
    [`${info}/WHEEL`]: strToU8(
      "Wheel-Version: 1.0\nGenerator: shipping-platform\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    ),
  };
  const digest = (bytes) => createHash("sha256").update(bytes).digest("base64url");
  const rows = Object.entries(files).map(([path, bytes]) => `${path},sha256=${digest(bytes)},${bytes.length}\n`);
  const entries = { ...files, [`${info}/RECORD`]: strToU8(`${rows.join("")}${info}/RECORD,,\n`) };
  // Local time: ZIP knows no other.
  const wheel = zipSync(entries, { level: 9, mtime: new Date(2020, 1, 2), os: 3, attrs: 0o100644 << 16 });
  writeFileSync(join(folder, `shipping_client-${version}-py3-none-any.whl`), wheel);
}
