import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { urlSetting } from "@shipping/cli/platform/config";
import { OLDEST } from "@shipping/kit/process/supported-versions";
import { databaseSetting } from "@shipping/local/config";
import { parts } from "@shipping/local/parts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);

const guides = [...pagesIn("docs"), ...pagesIn("docs/events"), ...pagesIn("docs/operations")];
const decisions = pagesIn("docs/decisions");
const contributing = ["CONTRIBUTING.md", ...pagesIn("docs/contributing")];
const documents = [
  "README.md",
  "SECURITY.md",
  ...contributing,
  ...guides,
  ...decisions,
  "client/README.md",
  "client-python/README.md",
  "conformance/README.md",
  "kit/src/rpc/unary/README.md",
  "mcp/README.md",
];
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

/** The cells of a document's table rows, without the header and the separator. */
function rowsOf(page: string): string[][] {
  const rows = page.match(/^\|.*\|$/gm) ?? [];
  return rows.map((row) => row.split("|").map((cell) => cell.trim())).filter(([, first]) => !/^-+$/.test(first ?? ""));
}

/** A heading's anchor in links. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

describe("documents", () => {
  test.each(documents)("every link of %s leads somewhere", (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:|mailto:|\/)([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const broken = links.filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  // A line may end within a command.
  test.each(documents)("every npm script and every trial that %s names is there", (path) => {
    const named = [...read(path).matchAll(/npm\s+run\s+(?:-s\s+)?([a-z][a-z:-]*)(?:\s+--\s+([a-z][\w-]*))?/g)];
    const trials: readonly string[] = read("test/trials/main.ts").match(/(?<=^ {2})[a-z]+(?=: \{)/gm) ?? [];
    expect(trials).toContain("abuse");
    const unknown = named.filter(
      ([, script = "", trial]) => !(script in scripts) || (script === "trial" && trial && !trials.includes(trial)),
    );
    expect(unknown.map(([command]) => command)).toEqual([]);
  });

  test("every file and folder that they name is there", () => {
    const paths = ["README.md", ...contributing, ...decisions, ...guides].flatMap((page) =>
      [
        ...read(page).matchAll(
          /`((?:gateway|api|site|services|kit|test|deploy|proto|client|client-python|mcp|conformance|tools|docs)(?:\/[\w.-]+)*)`/g,
        ),
      ].map(([, path = ""]) => path),
    );
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("the README prints what .ci/run calls to install and to test", () => {
    const [, first = ""] = /^```sh\n([^`]*)```$/m.exec(read("README.md")) ?? [];
    expect(first.trim().split("\n")).toEqual(["npm ci", "npm run demo", "npm test"]);
    const called = [...read(".ci/run").matchAll(/^ *step (npm .*)$/gm)].map(([, command]) => command);
    expect(called).toEqual(expect.arrayContaining(["npm ci", "npm test"]));
  });

  test("CONTRIBUTING has at most 12 KB, and the guides for contributors have an index", () => {
    expect(Buffer.byteLength(read("CONTRIBUTING.md"))).toBeLessThanOrEqual(12 * 1024);
    const index = read("docs/contributing/README.md");
    const pages = pagesIn("docs/contributing").map((path) => path.split("/").at(-1) ?? "");
    expect(pages.filter((name) => name !== "README.md" && !index.includes(`](${name})`))).toEqual([]);
  });

  test("CONTRIBUTING has a line for every npm script", () => {
    const [, section = ""] = read("CONTRIBUTING.md").split("\n## Scripts\n");
    const lines = [...(section.split("\n## ")[0] ?? "").matchAll(/^- `([\w:-]+)`:/gm)].map(([, name]) => name);
    expect(lines).toEqual(Object.keys(scripts));
  });

  test("every decision is listed, in order, and has a context, a choice and consequences", () => {
    const pages = decisions.filter((path) => !path.endsWith("/README.md"));
    const lines = pages.map((path, index) => {
      const [title = "", ...headings] = read(path).match(/^#+ .*$/gm) ?? [];
      expect([path, headings]).toEqual([path, ["## Context", "## Choice", "## Consequences"]]);
      const name = path.split("/").at(-1) ?? "";
      expect(name.slice(0, 5)).toBe(`${String(index + 1).padStart(4, "0")}-`);
      return [String(index + 1), `[${title.replace(/^# \d+\. /, "")}](${name})`];
    });
    const [, ...rows] = rowsOf(read("docs/decisions/README.md"));
    expect(rows.map(([, number, link]) => [number, link])).toEqual(lines);
  });

  test("the page of settings names only settings that exist", () => {
    const folders = ["kit", "api", "site", "gateway", "cli", "services", "deploy/local"];
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter(
          (path) => /(^|\/)src\/(.*\/)?(config|settings|log|tracing)\.ts$/.test(path) && !path.includes("node_modules"),
        )
        .map((path) => read(join(folder, path))),
    );
    // These follow from the declarations of the parts.
    const ofParts = parts.flatMap((part) => [databaseSetting(part), urlSetting(part)]);
    const known = new Set([...files.flatMap((text) => text.match(/\b[A-Z][A-Z_]{2,}(?=:)/g) ?? []), ...ofParts]);
    const named = rowsOf(read("docs/configuration.md")).flatMap(
      ([, first = ""]) => first.match(/(?<=`)[A-Z][A-Z_]+(?=`)/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe("set-up", () => {
  test(".nvmrc names the oldest Node that will do", () => {
    expect(read(".nvmrc")).toBe(`${OLDEST.Node}\n`);
  });

  test("the container for development is set up as CONTRIBUTING says", () => {
    const [, block = ""] = /\n## Setup\n.*?```sh\n(.*?)```/s.exec(read("CONTRIBUTING.md")) ?? [];
    const commands = block.trim().split("\n");
    expect(commands.at(-1)).toBe("npm run dev");
    const [, created] = /"postCreateCommand": "(.+)"/.exec(read(".devcontainer/devcontainer.json")) ?? [];
    expect(created?.split(" && ")).toEqual(commands.slice(0, -1));
  });

  test("the programs that the editor starts exist", () => {
    const { configurations } = JSON.parse(read(".vscode/launch.json"));
    const programs: string[] = configurations.flatMap(
      ({ program, runtimeExecutable = program }: Record<string, string>) => [program, runtimeExecutable],
    );
    const { tasks } = JSON.parse(read(".vscode/tasks.json"));
    const commands: string[] = tasks.flatMap(({ command = [] }) => command);
    const missing = [...programs, ...commands].filter(
      (path) => !existsSync(path.replace("$" + "{workspaceFolder}", root)),
    );
    expect(missing).toEqual([]);
    const started: string[] = tasks.flatMap(({ script = [] }) => script);
    expect(started.filter((name) => !(name in scripts))).toEqual([]);
  });
});
