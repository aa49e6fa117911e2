import { existsSync } from "node:fs";
import { join } from "node:path";
import { parts } from "@shipping/local/parts";
import { parseDeclaration, readDeclarations } from "../part/part-declaration.js";
import { WHOLE_PLATFORM } from "../part/whole-platform.js";
import { root, sources } from "./sources.js";

const declarations = readDeclarations();
const tests = sources.map(({ path }) => path).filter((path) => /^test\/.*\.(test|check)\.ts$/.test(path));
const covers = (listed: string, path: string) => (listed.endsWith("/") ? path.startsWith(listed) : path === listed);

describe("part.yaml", () => {
  test("is there for every part, beside its package.json", () => {
    expect(declarations.map(({ name }) => name)).toEqual([...parts].sort());
    expect(declarations.filter(({ folder }) => !existsSync(join(root, folder, "package.json")))).toEqual([]);
  });

  test.each(declarations)("the promises of $name are tests that exist, each once, in order", ({ promises }) => {
    expect(promises.filter((listed) => !tests.some((path) => covers(listed, path)))).toEqual([]);
    expect(promises).toEqual([...new Set(promises)].sort());
  });

  test.each([
    ["name: 7\npromises: [test/api/]", /^services\/x\/part.yaml: .*expected string.* at name$/s],
    ["name: x", /at promises$/],
    [
      "name: x\npromises: [src/a.test.ts]",
      /must be a test file below test\/, or a folder with \/ at its end\n.* at promises\[0\]$/,
    ],
    ["name: x\npromises: [test/api/]\nport: 1", /Unrecognized key: "port"$/],
    ["", /expected object/],
  ])("%j is refused with the file, the field, and what it must be", (text, refusal) => {
    expect(() => parseDeclaration(text, "services/x")).toThrow(refusal);
  });
});

test("every test file is a promise about a part, or one of the whole platform with a reason, which still exists", () => {
  const promised = declarations.flatMap(({ promises }) => promises);
  const listed = [...promised, ...Object.keys(WHOLE_PLATFORM)];
  expect(tests.filter((path) => !listed.some((one) => covers(one, path)))).toEqual([]);
  expect(Object.keys(WHOLE_PLATFORM).filter((one) => !tests.some((path) => covers(one, path)))).toEqual([]);
});
