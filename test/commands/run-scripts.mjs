// Runs the given command lines of npm one after the other in this process, for programs that end as soon as they have read their command line.
// Eighteen processes would load the same modules. Prints the results as JSON.
import { pathToFileURL } from "node:url";
import { findProgram } from "./find-program.mjs";

class Exit extends Error {
  constructor(status) {
    super();
    this.status = status;
  }
}
let exit;
process.exit = (status = process.exitCode ?? 0) => {
  exit ??= new Exit(status);
  throw exit;
};
const print = process.stdout.write.bind(process.stdout);
const ended = {};
for (const [index, line] of process.argv.slice(2).entries()) {
  const { program, env, args } = findProgram(line.split(" ").slice(1), true);
  const said = { out: "", err: "" };
  for (const [stream, name] of [
    [process.stdout, "out"],
    [process.stderr, "err"],
  ]) {
    stream.write = (text) => {
      // A program's handling of our exception is not part of its result.
      if (!exit) said[name] += text;
      return true;
    };
  }
  Object.assign(process.env, env);
  process.argv.splice(1, process.argv.length, program, ...args);
  process.exitCode = undefined;
  exit = undefined;
  try {
    // A different URL each time, because a module is evaluated once per URL.
    await import(`${pathToFileURL(program)}?${index}`);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  ended[line] = { status: exit?.status ?? process.exitCode ?? 0, ...said };
}
process.exitCode = 0;
print(JSON.stringify(ended));
