import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { examples, wholeNumber } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { say } from "../kit/report.js";
import { isExplained } from "./explained.js";
import type { Mutant } from "./find-mutants.js";
import { rooms } from "./rooms.js";

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
const root = fileURLToPath(new URL("../../..", import.meta.url));
const drawn = (text: string) => createHash("sha256").update(`${seed} ${text}`).digest("hex");

for (const name of command.args.length > 0 ? command.args : Object.keys(rooms)) {
  const { files, tests } = rooms[name] ?? { files: [], tests: [] };
  const { mutants: all, plan } = await findMutants(root, files);
  const open = all.filter((mutant) => !isExplained(mutant) && (!file || mutant.file.includes(file)));
  const rank = (mutant: Mutant) => drawn(`${mutant.file} ${mutant.original} ${mutant.replacement} ${mutant.line}`);
  const ranked = open.map((mutant) => [rank(mutant), mutant] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  const mutants = ranked.slice(0, most).map(([, mutant]) => mutant);
  const left = `${all.length - open.length} are explained${file ? " or in other files" : ""}`;
  say(`${name}: ${mutants.length} of ${all.length} mutants; ${left}`);
  let killed = 0;
  await runMutants(root, { plan, mutants, tests }, say, ({ file: path, line, original, replacement }, end) => {
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
