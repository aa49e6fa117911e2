import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { minVersion, satisfies } from "semver";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFile(join(root, path), "utf8");
const DIGEST = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "supply-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes JSON and text files into the folder. */
async function write(files: Record<string, unknown>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Runs a tool in the folder. */
async function run(tool: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, "tools", tool)], { cwd: folder, env: { ...process.env, ...env } });
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { status, out, err };
}

test("every package of the lock file has its hash, those of other systems included", async () => {
  const { packages } = JSON.parse(await read("package-lock.json")) as {
    packages: Record<string, { link?: true; integrity?: string }>;
  };
  const entries = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
  expect(entries.length).toBeGreaterThan(500);
  expect(entries.filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-")).map(([path]) => path)).toEqual(
    [],
  );
});

test("the lock file holds every package that another one needs: npm itself leaves some out when an override changes", async () => {
  const npm = spawn("npm", ["ls", "--all", "--package-lock-only"], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  expect(await Promise.all([text(npm.stderr), once(npm, "exit")])).toEqual(["", [0, null]]);
});

test("every package runs on the oldest Node that we support", async () => {
  const { engines } = JSON.parse(await read("package.json")) as { engines: { node: string } };
  const { packages } = JSON.parse(await read("package-lock.json")) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  const oldest = minVersion(engines.node) ?? "";
  const refusing = Object.entries(packages).filter(([, entry]) => !satisfies(oldest, entry.engines?.node ?? "*"));
  expect(refusing.map(([path]) => path)).toEqual([]);
});

test("images are named by digest, with the command that renews it", async () => {
  const [dockerfile, values] = await Promise.all([read("deploy/Dockerfile"), read("deploy/chart/values.yaml")]);
  const bases = [...dockerfile.matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, image]) => image);
  const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\w+))?$/gm)];
  const own = new Set(stages.map(([, , name]) => name));
  expect(
    stages.map(([, image = ""]) => image).filter((image) => !own.has(image) && !/^\$\{\w+_IMAGE\}$/.test(image)),
  ).toEqual([]);
  const { postgres, nats } = parse(values).dev;
  expect(bases).toHaveLength(2);
  for (const image of [...bases, postgres.image, nats.image]) expect(image).toMatch(DIGEST);
  for (const file of [dockerfile, values]) expect(file).toContain("docker buildx imagetools inspect");
});

test("the build is sent every workspace, or at least its manifest, with which npm compares the lock file", async () => {
  const [ignored, { workspaces }] = await Promise.all([read(".dockerignore"), read("package.json").then(JSON.parse)]);
  const sent = ignored.split("\n").flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  const isSent = (folder: string) =>
    [folder, folder.split("/")[0], `${folder}/package.json`].some((path) => sent.includes(path ?? ""));
  expect(workspaces).toContain("services/*");
  expect(workspaces.filter((folder: string) => !isSent(folder))).toEqual([]);
  expect(["package.json", "package-lock.json", ".npmrc", "tsconfig.base.json", "tools", "docs"].every(isSent)).toBe(
    true,
  );
});

test("a part in an image opens no inspector for a signal, not even while it starts", async () => {
  const commands = (await read("deploy/Dockerfile")).match(/^CMD .*main\.js"\]$/gm) ?? [];
  expect(commands).toEqual([expect.stringMatching(/^CMD \["node", "--disable-sigusr1", /)]);
});

test.each(["ci", "audit"])("the actions of the workflow %s are named by commit, with their version", async (name) => {
  const workflow = await read(`.github/workflows/${name}.yml`);
  const uses = workflow.match(/uses: .*/g) ?? [];
  expect(uses.length).toBeGreaterThan(1);
  for (const line of uses) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test("the SBOM lists all that is installed, and the licences are beside it", async () => {
  const packed = (name: string, dependencies: Record<string, string> = {}) => ({
    name,
    version: "1.0.0",
    license: "MIT",
    dependencies,
  });
  await write({
    "package.json": { ...packed("whole"), workspaces: ["app", "other"], devDependencies: { tool: "1.0.0" } },
    "app/package.json": { ...packed("app", { one: "1.0.0" }), devDependencies: { one: "1.0.0", tool: "1.0.0" } },
    "other/package.json": packed("other", { absent: "1.0.0" }),
    "node_modules/one/package.json": packed("one", { "@scope/two": "1.0.0" }),
    "node_modules/one/LICENSE": "The text of one.",
    "node_modules/one/node_modules/@scope/two/package.json": { ...packed("@scope/two"), license: undefined },
    "node_modules/one/node_modules/@scope/two/LICENSE": "MIT License\n\nThe text of two.",
  });
  await symlink("../app", join(folder, "node_modules/app"));
  expect(await run("write-sbom.mjs")).toMatchObject({ status: 0, err: "" });
  const { bomFormat, components } = JSON.parse(await readFile(join(folder, "sbom.cdx.json"), "utf8"));
  expect(bomFormat).toBe("CycloneDX");
  const purls: string[] = components.map(({ purl }: { purl: string }) => purl).sort();
  expect(purls).toEqual(["pkg:npm/%40scope/two@1.0.0", "pkg:npm/app@1.0.0", "pkg:npm/one@1.0.0"]);
  expect(await readFile(join(folder, "licenses.txt"), "utf8")).toContain("one@1.0.0: MIT\n\nThe text of one.\n");
  expect(await readFile(join(folder, "licenses.txt"), "utf8")).toContain(
    "@scope/two@1.0.0: MIT License\n\nMIT License",
  );
});

describe("npm run audit", () => {
  /** A registry with one package, which has these advisories, or that does not support advisories. */
  async function audit(
    advisories: object | undefined,
    { deprecated, kind = "dependencies" }: { deprecated?: string; kind?: "dependencies" | "peerDependencies" } = {},
  ) {
    const release = (version: string) => ({ name: "one", version, dist: { tarball: "http://127.0.0.1:1/one.tgz" } });
    const versions = Object.fromEntries(["1.0.0", "1.0.1"].map((version) => [version, release(version)]));
    const server = createServer((request, response) => {
      const isAsked = request.method === "POST";
      response.writeHead(isAsked && !advisories ? 405 : 200, { "content-type": "application/json" });
      response.end(
        JSON.stringify(isAsked ? (advisories ?? {}) : { name: "one", versions, "dist-tags": { latest: "1.0.1" } }),
      );
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const manifest = { name: "whole", version: "1.0.0", [kind]: { one: "1.0.0" } };
    await write({
      "package.json": manifest,
      "package-lock.json": {
        ...{ name: "whole", version: "1.0.0", lockfileVersion: 3, requires: true },
        packages: {
          "": manifest,
          "node_modules/one": { version: "1.0.0", deprecated, peer: kind === "peerDependencies" || undefined },
        },
      },
    });
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      return await run("audit.mjs", { npm_config_registry: registry, npm_config_cache: join(folder, "cache") });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const advisories = {
    one: [
      {
        ...{ id: 1, url: "https://advisories.example/1", title: "Bad", severity: "high" },
        ...{ vulnerable_versions: "<1.0.1", cwe: [], cvss: { score: 0, vectorString: null } },
      },
    ],
  };

  test("fails if a package has a severe vulnerability, and names it", async () => {
    const { status, out } = await audit(advisories);
    expect([status, out]).toEqual([1, expect.stringContaining("high: one 1.0.0: https://advisories.example/1")]);
  });

  test("asks for what the images contain: they are installed without peer packages", async () => {
    const { status, out } = await audit(advisories, { kind: "peerDependencies" });
    expect([status, out]).toEqual([0, "0 vulnerable packages, 0 of them of high or critical severity.\n"]);
    expect(await audit(undefined, { kind: "peerDependencies", deprecated: "Use two." })).toMatchObject({ status: 0 });
  });

  test("says what it saw and what it cannot see where the registry has no advisories, and fails if a package is deprecated", async () => {
    const { status, out } = await audit(undefined, { deprecated: "Use two." });
    expect(status).toBe(1);
    for (const said of [
      "deprecated: one 1.0.0: Use two.",
      "newer in its major: one 1.0.0, 1.0.1 is out",
      "This registry has no advisories (405).",
      "Not seen: published vulnerabilities",
    ])
      expect(out).toContain(said);
  });
});
