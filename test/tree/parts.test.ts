import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { readPromises } from "../part/part-promises.js";
import { WHOLE_PLATFORM } from "../part/whole-platform.js";
import { read, root, sources } from "./sources.js";

const declarations = readPromises();
const tests = sources.map(({ path }) => path).filter((path) => /^test\/.*\.(test|check)\.ts$/.test(path));
const covers = (listed: string, path: string) => (listed.endsWith("/") ? path.startsWith(listed) : path === listed);

describe("part.yaml", () => {
  test("is beside the package.json of its part", () => {
    expect(declarations.filter(({ folder }) => !existsSync(join(root, folder, "package.json")))).toEqual([]);
  });

  test.each(declarations)("the promises of $name are tests that exist, each once, in order", ({ promises }) => {
    expect(promises.filter((listed) => !tests.some((path) => covers(listed, path)))).toEqual([]);
    expect(promises).toEqual([...new Set(promises)].sort());
  });
});

describe("a change inside one part", () => {
  const partOf = (...paths: string[]) =>
    execFileSync(join(root, ".ci/part-of-changes"), { input: paths.map((path) => `${path}\n`).join("") }).toString();

  test.each(declarations)("is reviewed by the team of $name, and tested by its name", ({ name, folder }) => {
    expect(read(".github/CODEOWNERS")).toMatch(new RegExp(`^/${folder}/ @[\\w-]+/${name}$`, "m"));
    expect(partOf(`${folder}/src/config.ts`, `${folder}/part.yaml`)).toBe(`${name}\n`);
  });

  test.each([
    ["two parts", ["gateway/src/config.ts", "services/portal/src/config.ts"]],
    ["a part and another folder", ["gateway/src/config.ts", "docs/webhooks.md"]],
    ["a file of the root", ["package.json"]],
    ["nothing", []],
  ])("is not a change of %s", (_, paths) => {
    expect(partOf(...paths)).toBe("");
  });

  test("is what decides between a part's tests with the flows, and everything", () => {
    const { jobs } = parse(read(".github/workflows/ci.yml"));
    const steps: { if?: string; run?: string }[] = jobs.check.steps;
    const decided = steps.filter((step) => step.if?.includes("steps.part.outputs.name"));
    expect(decided.map(({ run }) => run?.trim().split("\n"))).toEqual([
      ["npm ci", "npm run -s lint", 'npm run -s test:part -- "$PART"', "npm run -s test:flows"],
      [".ci/run"],
    ]);
  });
});

test("every test file is a promise about a part, or one of the whole platform with a reason, which still exists", () => {
  const promised = declarations.flatMap(({ promises }) => promises);
  const listed = [...promised, ...Object.keys(WHOLE_PLATFORM)];
  expect(tests.filter((path) => !listed.some((one) => covers(one, path)))).toEqual([]);
  expect(Object.keys(WHOLE_PLATFORM).filter((one) => !tests.some((path) => covers(one, path)))).toEqual([]);
});
