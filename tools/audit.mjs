// `npm run audit`: known vulnerabilities of the packages in the images. Fails if one is of high or critical severity. If the registry has no
// advisories, as most mirrors, it says so, and fails if a package is deprecated.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));

function npm(...args) {
  const { stdout } = spawnSync("npm", [...args, "--json"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout || "{}");
}

// The same packages as in deploy/Dockerfile. Prisma's tools, for example, are peers that no image contains.
const report = npm("audit", "--package-lock-only", "--omit=dev", "--omit=optional", "--omit=peer");
process.exitCode = report.auditReportVersion ? printVulnerabilities(report) : printRest(report);

function printVulnerabilities({ vulnerabilities }) {
  const found = Object.values(vulnerabilities);
  for (const { name, severity, range, via } of found)
    console.log(`${severity}: ${name} ${range}: ${via.map((cause) => cause.url ?? cause).join(", ")}`);
  const severe = found.filter(({ severity }) => ["high", "critical"].includes(severity));
  console.log(`${found.length} vulnerable packages, ${severe.length} of them of high or critical severity.`);
  return severe.length > 0 ? 1 : 0;
}

function printRest({ statusCode = "no answer" }) {
  const installed = Object.entries(packages).filter(
    ([path, entry]) =>
      path.includes("node_modules/") && !["dev", "optional", "peer", "devOptional"].some((kind) => entry[kind]),
  );
  const deprecated = installed.filter(([, entry]) => entry.deprecated);
  for (const [path, entry] of deprecated)
    console.log(`deprecated: ${path.split("node_modules/").at(-1)} ${entry.version}: ${entry.deprecated}`);
  const direct = new Set(Object.values(packages).flatMap((entry) => Object.keys(entry.dependencies ?? {})));
  for (const [name, rows] of Object.entries(npm("outdated"))) {
    const { current = packages[`node_modules/${name}`]?.version, latest } = [rows].flat()[0];
    if (direct.has(name) && current && current !== latest && current.split(".")[0] === latest.split(".")[0])
      console.log(`newer in its major: ${name} ${current}, ${latest} is out`);
  }
  console.log(`This registry has no advisories (${statusCode}). Seen: what is deprecated, and newer releases, which may fix something.
Not seen: published vulnerabilities, of packages and of the images' system. Run this with npm's own registry, or scan the SBOM and the images.`);
  return deprecated.length > 0 ? 1 : 0;
}
