import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { examples, wholeNumber } from "@shipping/local/option-values";
import { Argument, Command } from "commander";

const NAMES = ["body", "numbers", "target", "signature", "cursor", "codec", "media", "address", "pdf"];
const command = new Command("npm run trial -- fuzz")
  .description(
    "Give parsers changed inputs, guided by their coverage, and compare them with a second opinion. With `growth`, send hostile texts of 1, 8 and 64 KiB at every place of every request, and measure the CPU that they cost.",
  )
  .addArgument(new Argument("[parsers...]", "all by default").choices([...NAMES, "growth"]))
  .option("--only <part>", "for growth: only places whose name contains this, such as `/api/v1/orders body`", "")
  .option("--minutes <count>", "duration for each parser", wholeNumber(1, 10_000), 5)
  .option("--seed <number>", "seed of the changes to inputs; random by default", wholeNumber(0, 2 ** 31))
  .option("--save", "replace the committed inputs (test/trials/fuzz/corpus) by the smallest with the same coverage")
  .addHelpText(
    "after",
    examples("npm run trial -- fuzz body --minutes 1", "npm run trial -- fuzz growth --only sign-in"),
  )
  .parse();
const options = command.opts<{ minutes: number; seed?: number; save?: boolean; only: string }>();
const { minutes, seed = randomInt(2 ** 31), save, only } = options;
// Loaded after the command line is parsed, because help does not need the platform.
const [{ fuzz }, { readCorpus, writeCorpus }, { targets }] = await Promise.all([
  import("./guided.js"),
  import("./corpus.js"),
  import("./targets.js"),
]);

/** The generator Mulberry32. */
let state = seed;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

console.error(`seed ${seed}`);
for (const name of command.args.length > 0 ? command.args : [...NAMES, "growth"]) {
  if (name === "growth") await growth();
  const target = targets[name];
  if (!target) continue;
  const { corpus, inputs, failure } = await fuzz(target, await readCorpus(name), Date.now() + minutes * 60_000, random);
  console.log(`${name}: ${inputs} inputs, ${corpus.length} kept${failure ? ", and one that fails" : ""}`);
  if (failure) {
    console.log(`${failure.input.toString("base64")}\n${JSON.stringify(failure.input.toString())}`, failure.error);
    process.exitCode = 1;
  } else if (save) await writeCorpus(name, corpus);
}

/** Runs in a process of its own, in which tsx knows how the gateway's pages are compiled. */
async function growth(): Promise<void> {
  const [main, config] = ["growth/main.ts", "../../../gateway/tsconfig.json"].map((path) =>
    join(import.meta.dirname, path),
  );
  const env = { ...process.env, TSX_TSCONFIG_PATH: config };
  const program = ["--conditions=source", "--import=tsx", main!, only];
  const child = spawn(process.execPath, program, { env, stdio: "inherit" });
  const [status] = await once(child, "exit");
  if (status !== 0) process.exitCode = 1;
}
