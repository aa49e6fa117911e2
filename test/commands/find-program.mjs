import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

/** The program that npm starts for `[run] [-s] SCRIPT [-- ARGUMENTS]`, as source or, if `isBuilt`, as built, and Node's arguments for it. */
export function findProgram(words, isBuilt) {
  const split = words.indexOf("--");
  const before = words.slice(0, split < 0 ? undefined : split);
  const [name] = before.filter((word) => word !== "run" && !word.startsWith("-"));
  const built = scripts[name].replace(/^.*(?:node|tsx --conditions=source) (\S+)$/, "$1");
  const program = isBuilt ? built : built.replace(/\/dist\/(.*)\.js$/, "/src/$1.ts");
  const loader = program.endsWith(".ts") ? ["--conditions=source", `--import=${import.meta.resolve("tsx")}`] : [];
  const env = { npm_lifecycle_event: name, TSX_TSCONFIG_PATH: fileURLToPath(new URL("tsconfig.base.json", root)) };
  return { program: fileURLToPath(new URL(program, root)), loader, env, args: split < 0 ? [] : words.slice(split + 1) };
}
