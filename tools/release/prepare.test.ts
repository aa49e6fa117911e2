import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BASELINE, readBaseline } from "./baseline.js";
import { prepareRelease } from "./prepare.js";
import { namedVersions, setVersion } from "./versions.js";

const root = join(import.meta.dirname, "../..");
const MIGRATION = "services/records/prisma/migrations/20261127000000_init/migration.sql";
const CHANGES = "docs/operations/changes.md";
const TODAY = "2027-01-02";
/** A small proto instead of ours, because each run builds them several times. */
const PROTO = 'syntax = "proto3";\npackage a.v1;\nmessage Thing {\n  string id = 1;\n  string name = 2;\n}\n';

const FILES = [
  ...["package-lock.json", MIGRATION, "docs/configuration.md"],
  ...[
    "deploy/chart/Chart.yaml",
    "deploy/chart/values.schema.json",
    "deploy/chart/ci/production.yaml",
    "deploy/operator-job.yaml",
  ],
  ...["client/CHANGELOG.md", "client-python/CHANGELOG.md", "client-python/src/shipping_client/version.py"],
];

let folder: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", ...args], {
    ...{ cwd: folder, encoding: "utf8", stdio: "pipe" },
  }).trim();
const read = (path: string) => readFileSync(join(folder, path), "utf8");
function write(path: string, text: string) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const edit = (path: string, from: string | RegExp, to: string) => write(path, read(path).replace(from, to));
function commit(message = "change"): string {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--no-verify", "--message", message);
  return git("rev-parse", "HEAD");
}
const release = (version: string) => prepareRelease(folder, version, TODAY);
const refusal = (version: string) => {
  commit();
  try {
    return release(version);
  } catch (error) {
    expect(git("status", "--porcelain")).toBe("");
    return (error as Error).message;
  }
};

/** The files of this tree that a release reads or writes, at 1.0.0, which is prepared and noted. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "release-"));
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const workspaces = Object.keys(packages).filter((path) => !path.includes("node_modules"));
  const used = workspaces.map((path) => join(path, "package.json")).concat(FILES);
  for (const path of used) cpSync(join(root, path), join(folder, path));
  setVersion(folder, "1.0.0");
  write("docs/operations/releases.json", "{}\n");
  write("tools/release/README.md", "");
  write("proto/buf.yaml", "version: v2\n");
  write("proto/a/v1/a.proto", PROTO);
  execFileSync(join(root, "node_modules/.bin/buf"), ["build", "proto", "-o", "proto/baseline.binpb"], { cwd: folder });
  write(CHANGES, "# Changes\n\n## 1.1.0\n\nRestart.\n\n## 1.0.0\n\nInstall.\n");
  git("init", "--quiet");
  commit();
  release("1.0.0");
  const prepared = commit("1.0.0");
  expect(release("1.0.0")).toContain(`names commit ${prepared}`);
  commit("noted");
});
beforeEach(() => git("tag", "--force", "before"));
afterEach(() => {
  git("reset", "--quiet", "--hard", "before");
  git("clean", "--quiet", "--force", "-d");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a release has its version everywhere, its date, baselines with its migrations, and a commit that is noted afterwards", () => {
  const added = "services/records/prisma/migrations/20270101000000_more/migration.sql";
  write(added, "-- release: 1.1.0\nALTER TABLE orders ADD COLUMN colour text;\n");
  edit("proto/a/v1/a.proto", "string name = 2;", "string name = 2;\n  string colour = 3;");
  const lock = JSON.parse(read("package-lock.json"));
  commit();
  expect(release("1.1.0")).toContain("Release 1.1.0 is prepared.");
  expect(namedVersions(folder).filter(([, version]) => version !== "1.1.0")).toEqual([]);
  const needed = (path: string) => JSON.parse(readFileSync(path, "utf8")).devDependencies;
  const { "shipping-mcp": mcp, "@shipping/conformance": conformance } = needed(join(root, "test/package.json"));
  expect(needed(join(folder, "test/package.json"))).toMatchObject({
    ...{ "@shipping/kit": "1.1.0", "@shipping/conformance": conformance, "shipping-mcp": mcp },
  });
  const renewed = JSON.parse(read("package-lock.json"));
  const own = Object.keys(lock.packages).filter(
    (path) => lock.packages[path].version !== renewed.packages[path].version,
  );
  expect(own.every((path) => !path.includes("node_modules/") || path.startsWith("node_modules/@shipping/"))).toBe(true);
  expect(read(CHANGES)).toContain(`## 1.1.0\n\n${TODAY}\n\nRestart.`);
  expect(read("client/CHANGELOG.md")).toMatch(/\n## [\d.]+\n\n\d{4}-\d\d-\d\d\n/);
  expect(readBaseline(folder)).toMatchObject({ release: "1.1.0", fields: { "a.v1.Thing": "id name colour" } });
  expect(Object.keys(readBaseline(folder)?.migrations ?? {})).toEqual(expect.arrayContaining([added, MIGRATION]));
  expect(git("diff", "--name-only")).toContain("proto/baseline.binpb");
  const prepared = commit("1.1.0");
  commit("work goes on");
  release("1.1.0");
  expect(JSON.parse(read("docs/operations/releases.json"))["1.1.0"]).toBe(prepared);
  expect(git("diff", "--name-only")).toBe("docs/operations/releases.json");
});

test("a tree with changes is refused", () => {
  edit(CHANGES, "Restart.", "Restart all.");
  expect(() => release("1.1.0")).toThrow("The tree has changes that are not committed.");
});

test.each(["1.0.2", "1.2.0", "2.1.0", "0.9.0"])("%s is refused, because it does not follow 1.0.0", (version) => {
  expect(refusal(version)).toBe(`${version} does not follow 1.0.0: use 1.0.1, 1.1.0, 2.0.0.`);
});

test("what is wrong is said at once, and nothing is written; a removed name may be gone once the section names it", () => {
  const added = "gateway/prisma/migrations/20270101000000_more/migration.sql";
  write(added, "-- release: 1.0.1\nSELECT 1;\n");
  edit(MIGRATION, "\nCREATE", "\n\nCREATE");
  edit("docs/configuration.md", /^.*`BUILD_REVISION`.*\n/m, "");
  edit("docs/configuration.md", /^.*`SECRETS_KEYS`.*\n/m, "");
  edit("deploy/chart/values.schema.json", '"publicUrl"', '"publicUrls"');
  edit("proto/a/v1/a.proto", "string name = 2;", "reserved 2;");
  edit(CHANGES, "Restart.", "`SECRETS_KEYS` is read no more.");
  const gone = (name: string) => `${name} was removed: say in the section of ${CHANGES} what replaces \`${name}\`.`;
  expect(refusal("1.1.0").split("\n")).toEqual([
    `${MIGRATION} was changed or removed after its release: restore it, and add another migration.`,
    `${added} is new in this release, so its first line must be "-- release: 1.1.0".`,
    ...["BUILD_REVISION", "publicUrl", "a.v1.Thing.name"].map(gone),
  ]);
});

test("a release without anything in its section, or with protos that break the last one, is refused", () => {
  edit("proto/a/v1/a.proto", "string name = 2;", "bytes name = 2;");
  expect(refusal("1.1.0")).toMatch(/The protos would break the last release:\n.*name/);
  edit(CHANGES, "Restart.", "");
  expect(refusal("1.1.0")).toBe(`${CHANGES} has no section "## 1.1.0" that says what an operator must do.`);
});

test("a release whose predecessor has no commit yet is refused", () => {
  write("docs/operations/releases.json", "{}\n");
  expect(refusal("1.1.0")).toContain("has no commit for 1.0.0: run npm run release -- 1.0.0, and commit that.");
  expect(read(BASELINE)).toContain('"release": "1.0.0"');
});
