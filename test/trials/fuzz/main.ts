import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { examples, wholeNumber } from "@shipping/local/option-values";
import { Argument, Command } from "commander";

const NAMES = ["body", "numbers", "target", "signature", "cursor", "codec", "media"];
const command = new Command("npm run trial -- fuzz")
  .description(
    "Give parsers changed inputs, and compare them with a second opinion. With `growth`, send hostile texts of 1, 8 and 64 KiB at every place of every request, and measure the CPU that they cost.",
  )
  .addArgument(new Argument("[parsers...]", "all by default").choices([...NAMES, "growth"]))
  .option("--only <part>", "for growth: only places whose name contains this, such as `/api/v1/orders body`", "")
  .option("--minutes <count>", "duration for each parser", wholeNumber(1, 10_000), 5)
  .option("--seed <number>", "seed of the changes to inputs; random by default", wholeNumber(0, 2 ** 31))
  .addHelpText(
    "after",
    examples("npm run trial -- fuzz body --minutes 1", "npm run trial -- fuzz growth --only sign-in"),
  )
  .parse();
const { minutes, only, ...seed } = command.opts<{ minutes: number; seed?: number; only: string }>();
// Loaded after the command line is parsed, because help does not need the platform.
const [{ default: fc }, { changedInputs }, { inputsOf, targets }] = await Promise.all([
  import("fast-check"),
  import("./change-inputs.js"),
  import("./targets.js"),
]);

for (const name of command.args.length > 0 ? command.args : [...NAMES, "growth"]) {
  if (name === "growth") await growth();
  else await fuzz(name);
}

/** Runs until the time is over or a check fails. The smallest input that fails is printed in base64, as the corpus has it. */
async function fuzz(name: string): Promise<void> {
  const check = fc.asyncProperty(changedInputs(await inputsOf(name)), async (input) => targets[name]?.check(input));
  const interruptAfterTimeLimit = minutes * 60_000;
  const result = await fc.check(check, { ...seed, numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit });
  console.log(`${name}: ${result.numRuns} inputs${result.counterexample ? ", and one that fails" : ""}`);
  if (!result.counterexample) return;
  const [input] = result.counterexample;
  console.log(`${input.toString("base64")}\n${JSON.stringify(input.toString())}, seed ${result.seed}`);
  console.log(result.errorInstance);
  process.exitCode = 1;
}

/** Runs in a process of its own, in which tsx knows how the gateway's pages are compiled. */
async function growth(): Promise<void> {
  const [main, config] = ["growth/main.ts", "../../../tsconfig.base.json"].map((path) =>
    join(import.meta.dirname, path),
  );
  const env = { ...process.env, TSX_TSCONFIG_PATH: config };
  const program = ["--conditions=source", "--import=tsx", main!, only];
  const child = spawn(process.execPath, program, { env, stdio: "inherit" });
  const [status] = await once(child, "exit");
  if (status !== 0) process.exitCode = 1;
}
