import { examples, wholeNumber } from "@shipping/local/option-values";
import { Command } from "commander";
import { print, say } from "../kit/report.js";

const command = new Command("npm run trial -- releases")
  .description("Upgrade from an older release to this checkout and back, process by process and under load.")
  .argument("<revision>", "the older release: a tag, a branch or a commit")
  .option("--seconds <count>", "duration of each step", wholeNumber(1, 3_600), 4)
  .addHelpText("after", examples("npm run trial -- releases HEAD~50"))
  .parse();
const { seconds } = command.opts<{ seconds: number }>();
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { mixedReleases } = await import("./mixed-releases.js");
const report = await mixedReleases(say, command.args[0] ?? "", seconds * 1000).catch((error) =>
  command.error(`error: ${error instanceof Error ? error.message : error}`),
);
print(report);
