import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { examples, wholeNumber } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { isExplained } from "./explained.js";
import type { Mutant } from "./find-mutants.js";
import { rooms } from "./rooms.js";
import type { Outcome } from "./run-mutants.js";

const command = new Command("npm run trial -- mutants")
  .description("Break the code of rooms in one place at a time, and check whether their tests fail.")
  .addArgument(new Argument("[rooms...]", "all by default").choices(Object.keys(rooms)))
  .option("--most <count>", "size of the sample of each room's mutants; all by default", wholeNumber(1, 100_000))
  .option("--seed <number>", "seed of the sample", wholeNumber(0, 2 ** 31), 1)
  .option("--file <text>", "only mutants of files whose path contains this text")
  .addHelpText("after", examples("npm run trial -- mutants input", "npm run trial -- mutants dispatch --most 100"))
  .parse();
const { most, seed, file } = command.opts<{ most?: number; seed: number; file?: string }>();
// Loaded after the command line is parsed, because help needs no npm packages.
const { findMutants } = await import("./find-mutants.js");
const { runMutants } = await import("./run-mutants.js");
const { findPythonMutants, runPythonMutants } = await import("./run-python-mutants.js");
const { hasPython } = await import("../../docs/python.js");

const root = fileURLToPath(new URL("../../..", import.meta.url));
const began = performance.now();
const say = (line: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`);
const drawn = (text: string) => createHash("sha256").update(`${seed} ${text}`).digest("hex");

for (const name of command.args.length > 0 ? command.args : Object.keys(rooms)) {
  const { files, tests } = rooms[name] ?? { files: [], tests: [] };
  if (name === "python-client") {
    if (!hasPython) command.error("error: python3 is missing, or older than 3.9: the Python client needs it.");
    const all = findPythonMutants(root, files);
    await measure(name, all, (mutants, onEnd) => runPythonMutants(root, { mutants, tests }, say, onEnd));
  } else {
    const { mutants: all, plan } = await findMutants(root, files);
    await measure(name, all, (mutants, onEnd) => runMutants(root, { plan, mutants, tests }, say, onEnd));
  }
}

/** Tries a sample of a room's mutants, and prints the number of killed ones, and the survivors. */
async function measure<M extends Mutant>(
  name: string,
  all: M[],
  run: (mutants: M[], onEnd: (mutant: Mutant, outcome: Outcome) => void) => Promise<void>,
): Promise<void> {
  const open = all.filter((mutant) => !isExplained(mutant) && (!file || mutant.file.includes(file)));
  const mutants = open
    .map((mutant) => ({
      mutant,
      rank: drawn(`${mutant.file} ${mutant.original} ${mutant.replacement} ${mutant.line}`),
    }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, most)
    .map(({ mutant }) => mutant);
  say(
    `${name}: ${mutants.length} of ${all.length} mutants; ${all.length - open.length} are explained${file ? " or in other files" : ""}`,
  );
  let killed = 0;
  await run(mutants, ({ file: path, line, original, replacement }, end) => {
    if (end === "killed") killed += 1;
    else console.log(`${path}:${line} ${end}\n- ${shown(original)}\n+ ${shown(replacement)}`);
  });
  console.log(`${name}: ${killed} of ${mutants.length} killed, ${((100 * killed) / mutants.length).toFixed(1)} %\n`);
}

/** Shortens a text to one line of limited length. */
function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 100)} … ${line.slice(-50)}` : line;
}
