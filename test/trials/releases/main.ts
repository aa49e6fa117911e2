import { toPart } from "@shipping/local/cluster/checkouts";
import { examples, wholeNumber } from "@shipping/local/option-values";
import type { Part } from "@shipping/local/parts";
import { Command } from "commander";
import { print, say } from "../kit/report.js";

const command = new Command("npm run trial -- releases")
  .description("Upgrade from an older release to this checkout and back, process by process and under load.")
  .argument("<revision>", "the older release: a tag, a branch or a commit")
  .option("--seconds <count>", "duration of each step", wholeNumber(1, 3_600), 4)
  .option("--only <part>", "replace only this part", (name) => toPart(name))
  .addHelpText("after", examples("npm run trial -- releases HEAD~50", "npm run trial -- releases main --only webhooks"))
  .parse();
const { seconds, only } = command.opts<{ seconds: number; only?: Part }>();
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { mixedReleases, ORDER } = await import("./mixed-releases.js");
const report = await mixedReleases(say, command.args[0] ?? "", {
  calmMs: seconds * 1000,
  replaced: ORDER.filter((part) => part === (only ?? part)),
}).catch((error) => command.error(`error: ${error instanceof Error ? error.message : error}`));
print(report);
