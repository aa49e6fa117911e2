import { randomInt } from "node:crypto";
import { examples, wholeNumber } from "@shipping/local/option-values";
import { Command, Option } from "commander";

const FAULTS = ["none", "kill"];

const began = performance.now();
const say = (line: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
const command = new Command("npm run trial -- history")
  .description("Record what clients of two gateways see under faults, and judge whether it can be explained.")
  .option("--minutes <count>", "how long; the round that is under way is finished", wholeNumber(1, 10_000), 10)
  .addOption(new Option("--faults <names...>", "all unless named").choices(FAULTS).default(FAULTS))
  .option(
    "--seed <number>",
    "of what clients and faults do; the order in which requests meet differs",
    wholeNumber(0, 2 ** 31),
  )
  .addHelpText("after", examples("npm run trial -- history --minutes 2 --faults none kill"))
  .parse();
const {
  minutes,
  faults,
  seed = randomInt(2 ** 31),
} = command.opts<{ minutes: number; faults: string[]; seed?: number }>();
// Loaded after the command line is read: help and its refusals need nothing of the platform.
const { runHistory } = await import("./run-history.js");
say(`seed ${seed}`);
const report = await runHistory(say, { minutes, faults, seed });
console.log(JSON.stringify(report, null, 2));
if (report.anomalies > 0) process.exitCode = 1;
