import { randomInt } from "node:crypto";
import { examples, wholeNumber } from "@shipping/local/option-values";
import { Command, Option } from "commander";
import { say } from "../kit/report.js";

const FAULTS = ["none", "kill", "stop", "crash", "hang", "nats", "failover", "clocks", "disk-full", "upgrade"];

const command = new Command("npm run trial -- history")
  .description(
    "Record the observations of clients of two gateways under faults, and judge whether they are consistent.",
  )
  .option("--minutes <count>", "duration; a fault that has begun is finished", wholeNumber(1, 10_000), 10)
  .addOption(new Option("--faults <names...>", "all by default").choices(FAULTS).default(FAULTS))
  .option("--calm <seconds>", "duration of the phases before and after each fault", wholeNumber(1, 600), 15)
  .option(
    "--seed <number>",
    "seed of the random choices of clients and faults; random by default",
    wholeNumber(0, 2 ** 31),
  )
  .option("--revision <revision>", "upgrade: the older release, a tag, a branch or a commit", "HEAD~1")
  .addHelpText("after", examples("npm run trial -- history --minutes 2 --faults none kill"))
  .parse();
const options = command.opts<{ minutes: number; calm: number; faults: string[]; revision: string; seed?: number }>();
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { hasOwnMounts, rerunInOwnMounts } = await import("./faults/own-mounts.js");
if (options.faults.includes("disk-full") && !hasOwnMounts()) {
  const { out, code, missing } = await rerunInOwnMounts(process.argv.slice(2));
  if (missing !== undefined) command.error(`error: ${missing} Or name other faults.`);
  process.stdout.write(out);
  process.exit(code ?? 1);
}
const { commitOf } = await import("@shipping/local/cluster/build-release");
if (options.faults.includes("upgrade"))
  await commitOf(options.revision).catch((error: Error) => command.error(`error: ${error.message}`));
const { runHistory } = await import("./run-history.js");
const seed = options.seed ?? randomInt(2 ** 31);
say(`seed ${seed}`);
const report = await runHistory(say, { ...options, seed });
console.log(JSON.stringify(report, null, 2));
if (report.anomalies > 0) process.exitCode = 1;
