// Run in a copy of the manifests in which npm has installed what one image contains: writes `sbom.cdx.json`, a CycloneDX document by
// npm, and `licenses.txt`, the licences of all packages. Changes the manifests: with workspaces, `npm sbom --omit` leaves out packages that
// are installed (npm/cli#7204, #7909), and without it misses what was not installed on purpose.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The packages in a `node_modules`, by path; links are workspaces. */
function packagesIn(folder) {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (name.startsWith("@")) return packagesIn(path);
    if (lstatSync(path).isSymbolicLink()) return [path];
    const nested = readdirSync(path).includes("node_modules") ? packagesIn(join(path, "node_modules")) : [];
    return [path, ...nested];
  });
}

const isLink = (path) => lstatSync(path).isSymbolicLink();
const shared = packagesIn("node_modules");
const workspaces = shared.filter(isLink).map((path) => readlinkSync(path).replace(/^(?:\.\.\/)+/, ""));
// A workspace has a package of its own where the root has another version.
const own = workspaces.map((folder) => join(folder, "node_modules")).filter((folder) => existsSync(folder));
const installed = [...shared, ...own.flatMap(packagesIn)];
for (const folder of [".", ...workspaces]) {
  const { devDependencies, optionalDependencies, ...manifest } = read(join(folder, "package.json"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, ...(folder === "." && { workspaces }) }));
}
const sbom = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application"], {
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});
const { components } = JSON.parse(sbom);
const identify = (path) => {
  const { name, version } = read(join(path, "package.json"));
  return `${name}@${version}`;
};
const listed = new Set(components.map((component) => component["bom-ref"].replace(/\|.*/, "")));
const missing = installed.map(identify).filter((id) => !listed.has(id));
if (missing.length > 0) throw new Error(`npm leaves out of the SBOM: ${missing.join(", ")}`);
writeFileSync("sbom.cdx.json", sbom);

const texts = installed
  .filter((path) => !isLink(path))
  .map((path) => {
    const files = readdirSync(path).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
    const text = files.map((name) => readFileSync(join(path, name), "utf8").trim());
    // A few packages, such as png-js 2.0.0, name theirs only in the first line of its text.
    const license = read(join(path, "package.json")).license ?? text[0]?.split("\n")[0];
    if (!license) throw new Error(`${identify(path)} names no licence.`);
    return [`${identify(path)}: ${license.type ?? license}`, ...text].join("\n\n");
  });
writeFileSync("licenses.txt", `${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
