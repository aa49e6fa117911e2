// What stands for npm while a command's examples are run: `npm [run] [-s] SCRIPT [-- ARGUMENTS]`, in the folder of the caller,
// from the sources; with RUN_BUILT what is built.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);
const words = process.argv.slice(2);
const split = words.indexOf("--");
const [name] = words.slice(0, split < 0 ? undefined : split).filter((word) => word !== "run" && !word.startsWith("-"));
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const built = scripts[name].replace(/^.*(?:node|tsx --conditions=source) (\S+)$/, "$1");
const program = process.env.RUN_BUILT ? built : built.replace(/\/dist\/(.*)\.js$/, "/src/$1.ts");
const loader = program.endsWith(".ts") ? ["--conditions=source", `--import=${import.meta.resolve("tsx")}`] : [];
const args = [...loader, fileURLToPath(new URL(program, root))];
const child = spawn(process.execPath, [...args, ...(split < 0 ? [] : words.slice(split + 1))], {
  stdio: "inherit",
  env: {
    ...process.env,
    npm_lifecycle_event: name,
    TSX_TSCONFIG_PATH: fileURLToPath(new URL("gateway/tsconfig.json", root)),
  },
});
// The whole group gets Ctrl-C; this waits for what it has started.
process.on("SIGINT", () => {});
child.on("exit", (status) => {
  process.exitCode = status ?? 1;
});
