// What stands for npm while a command's examples are run: `npm [run] [-s] SCRIPT [-- ARGUMENTS]`, in the folder of the caller,
// from the sources; with RUN_BUILT what is built.
import { spawn } from "node:child_process";
import { findProgram } from "./find-program.mjs";

const { program, loader, env, args } = findProgram(process.argv.slice(2), process.env.RUN_BUILT);
const child = spawn(process.execPath, [...loader, program, ...args], {
  stdio: "inherit",
  env: { ...process.env, ...env },
});
// The whole group gets Ctrl-C; this waits for what it has started.
process.on("SIGINT", () => {});
child.on("exit", (status) => {
  process.exitCode = status ?? 1;
});
