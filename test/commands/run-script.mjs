// Stands for npm while a command's examples are run: `npm [run] [-s] SCRIPT [-- ARGUMENTS]`, in the folder of the caller, from the sources, or
// from compiled code with RUN_BUILT.
import { spawn } from "node:child_process";
import { findProgram } from "./find-program.mjs";

const { program, loader, env, args } = findProgram(process.argv.slice(2), process.env.RUN_BUILT);
const child = spawn(process.execPath, [...loader, program, ...args], {
  stdio: "inherit",
  env: { ...process.env, ...env },
});
// The whole process group gets Ctrl-C; this process waits for its child.
process.on("SIGINT", () => {});
child.on("exit", (status) => {
  process.exitCode = status ?? 1;
});
