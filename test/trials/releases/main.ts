import { toPart } from "@shipping/local/cluster/checkouts";
import { examples, wholeNumber } from "@shipping/local/option-values";
import type { Part } from "@shipping/local/parts";
import { Command } from "commander";
import { print, say } from "../kit/report.js";

const command = new Command("npm run trial -- releases")
  .description(
    "Upgrade from an older release to this checkout and back, process by process and under load; or, without one, from this checkout to two releases that are planted, and back.",
  )
  .argument("[revision]", "the older release: a tag, a branch or a commit")
  .option("--seconds <count>", "duration of each step", wholeNumber(1, 3_600), 4)
  .option("--only <part>", "replace only this part", (name) => toPart(name))
  .addHelpText(
    "after",
    examples(
      "npm run trial -- releases",
      "npm run trial -- releases HEAD~50",
      "npm run trial -- releases main --only webhooks",
    ),
  )
  .parse();
const { seconds, only } = command.opts<{ seconds: number; only?: Part }>();
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { mixedReleases, ORDER } = await import("./mixed-releases.js");
const { plantedReleases } = await import("./planted-releases.js");
const [revision] = command.args;
const calmMs = seconds * 1000;
const replaced = ORDER.filter((part) => part === (only ?? part));
const playing =
  revision === undefined ? plantedReleases(say, calmMs) : mixedReleases(say, revision, { calmMs, replaced });
const report = await playing.catch((error) =>
  command.error(`error: ${error instanceof Error ? error.message : error}`),
);
print(report);
